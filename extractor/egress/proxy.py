"""The only way out: a forward proxy on loopback that resolves, judges and dials for the browser.

A name is looked up once per connection, every answer is judged, and a judged address is dialled, so a
name server that changes its mind between check and use gains nothing.
"""

from __future__ import annotations

import asyncio
from types import TracebackType
from typing import Self

import h11
import structlog

from extractor.egress import forward
from extractor.egress.admission import Admission
from extractor.egress.dialling import Dialler
from extractor.egress.passage import Passage
from extractor.egress.record import EgressRecord
from extractor.egress.replay import ResponseSource
from extractor.egress.resolve import Resolver, SystemResolver
from extractor.egress.wire import HttpStream
from extractor.settings import ExtractorSettings

_log = structlog.get_logger(__name__)
_CHALLENGE = (b"Proxy-Authenticate", b'Basic realm="pagefold"')


class EgressProxy:
    """Forward proxy on 127.0.0.1 (HTTP/1.1: ``CONNECT`` and absolute-form ``http://``).

    Every client names its request by the user name of its proxy credentials; see ``register``. WebSockets
    come as ``CONNECT`` too: they are judged alike, and cut before their first byte unless they are allowed.

    Args:
        settings: rules, limits and timeouts.
        resolver: name lookup; the operating system's by default.
        replay: with it nothing is ever dialled; answers come from there.
    """

    def __init__(
        self,
        settings: ExtractorSettings,
        *,
        resolver: Resolver | None = None,
        replay: ResponseSource | None = None,
    ) -> None:
        self._settings = settings
        self._admission = Admission(settings)
        chosen = resolver or SystemResolver(settings.max_lookups)
        self._dialler = Dialler(settings, chosen, lambda: self.port)
        self._passage = Passage(settings, self._dialler, replay)
        self._open: dict[asyncio.Task[None], str] = {}
        self._server: asyncio.Server | None = None

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def start(self) -> None:
        """Listen on a free loopback port, and say in the log where the rules have exceptions."""
        for host, port in sorted(self._settings.egress_rules.allow):
            _log.info("egress_exception", host=host, port=port)
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)

    async def close(self) -> None:
        """Stop listening and cut every connection."""
        if self._server is not None:
            self._server.close()
        await self._cut(list(self._open))
        if self._server is not None:
            await self._server.wait_closed()
            self._server = None
        await self._dialler.close()

    @property
    def port(self) -> int:
        """The port listened on.

        Raises:
            RuntimeError: not started.
        """
        if self._server is None:
            raise RuntimeError("the egress proxy is not running")
        return int(self._server.sockets[0].getsockname()[1])

    @property
    def url(self) -> str:
        """Address of the proxy without credentials."""
        return f"http://127.0.0.1:{self.port}"

    def register(self, key: str, *, max_bytes: int = 0, any_tunnel: bool = False) -> EgressRecord:
        """Admit a request; until ``forget`` its connections are let in and recorded.

        Args:
            key: name of the request: ASCII without a colon.
            max_bytes: cut everything past so many received bytes; 0 for no cap.
            any_tunnel: the client is our own and opens no WebSockets: its tunnels are not looked into.

        Raises:
            ValueError: the key is malformed or in use.
        """
        return self._admission.register(key, max_bytes, any_tunnel=any_tunnel)

    def credentials(self, key: str) -> tuple[str, str]:
        """User name and password with which the request ``key`` comes in."""
        return self._admission.credentials(key)

    def record(self, key: str) -> EgressRecord:
        """What was seen for a registered request, so far.

        Raises:
            KeyError: not registered.
        """
        return self._admission.record(key)

    async def forget(self, key: str) -> EgressRecord:
        """End a request: its connections are cut and its key is no longer let in.

        Raises:
            KeyError: not registered.
        """
        record = self._admission.forget(key)
        await self.cut(key)
        if (unsaid := record.refusals - self._settings.max_page_refusal_lines) > 0:
            _log.info("egress_refused_more", key=key, count=unsaid)
        return record

    async def cut(self, key: str) -> None:
        """End the connections that a request has open; it may open others."""
        await self._cut([task for task, owner in self._open.items() if owner == key])

    async def _cut(self, tasks: list[asyncio.Task[None]]) -> None:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        if len(self._open) >= self._settings.max_connections:
            _log.warning("egress_full", max_connections=self._settings.max_connections)
            writer.close()
            return
        self._open[task] = ""
        client = HttpStream(
            h11.SERVER,
            reader,
            writer,
            idle_timeout_s=self._settings.idle_timeout_s,
            max_header_bytes=self._settings.max_proxy_header_bytes,
        )
        try:
            async with asyncio.timeout(self._settings.proxy_header_timeout_s):
                request = await client.next_event()
            if isinstance(request, h11.Request):
                await self._answer(client, request, task)
        except (OSError, h11.ProtocolError) as error:
            _log.debug("egress_connection_broke", error=repr(error))
        except asyncio.CancelledError:
            # Only ``_cut`` cancels these tasks; the stream server would report it as a failure.
            writer.transport.abort()
        finally:
            self._open.pop(task, None)
            writer.close()

    async def _answer(
        self, client: HttpStream, request: h11.Request, task: asyncio.Task[None]
    ) -> None:
        key = self._admission.key_of(request)
        if key is None:
            await forward.refuse(client, 407, "credentials", _CHALLENGE)
            return
        self._open[task] = key
        await self._passage.run(client, request, key, self._admission.record(key))
