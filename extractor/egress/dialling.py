"""The way to a server: its name looked up once, every answer judged, a judged address dialled."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import h11
import structlog

from extractor.egress.forward import PlainTarget
from extractor.egress.policy import EgressRules, as_address
from extractor.egress.record import EgressRecord, Refusal
from extractor.egress.resolve import Resolver, dial, judge_dial
from extractor.egress.wire import HttpStream
from extractor.settings import ExtractorSettings

_log = structlog.get_logger(__name__)


class RefusedError(Exception):
    """A connection that may not be, or could not be made; ``detail`` is for the log alone."""

    def __init__(self, code: Refusal, detail: str) -> None:
        super().__init__(detail)
        self.code: Refusal = code
        self.detail = detail


class Dialler:
    """Connects to judged addresses only; ``own_port`` is the proxy's, which is never dialled."""

    def __init__(
        self, settings: ExtractorSettings, resolver: Resolver, own_port: Callable[[], int]
    ) -> None:
        self._settings, self._resolver, self._own_port = settings, resolver, own_port
        self._rules: EgressRules = settings.egress_rules
        self._lookups: set[asyncio.Task[list[str]]] = set()

    async def close(self) -> None:
        """Give up the lookups that nobody waits for any longer."""
        for task in self._lookups:
            task.cancel()
        await asyncio.gather(*self._lookups, return_exceptions=True)

    async def connect(self, target: PlainTarget, record: EgressRecord) -> HttpStream:
        """A connection whose received bytes count against the record's cap.

        Raises:
            RefusedError: the rules refuse it, or the server cannot be reached.
        """
        addresses = await self._judged_addresses(target.host, target.port, record)
        try:
            tried = addresses[: self._settings.max_dial_attempts]
            reader, writer = await dial(tried, target.port, self._settings.connect_timeout_s)
        except OSError as error:
            raise RefusedError("connect", f"port {target.port}: {error!r}") from error
        record.last_error.pop(target.host, None)

        def count(size: int) -> None:
            record.bytes_in += size
            if record.capped:
                raise RefusedError("too_large", "byte cap of the page")

        def sent(size: int) -> None:
            record.bytes_out += size

        return HttpStream(
            h11.CLIENT,
            reader,
            writer,
            idle_timeout_s=self._settings.idle_timeout_s,
            max_header_bytes=self._settings.max_proxy_header_bytes,
            on_bytes=count,
            on_sent=sent,
        )

    async def _judged_addresses(self, host: str, port: int, record: EgressRecord) -> list[str]:
        literal = as_address(host) is not None
        addresses = [host] if literal else await self._resolve(host, record)
        own_ports = self._settings.own_ports | {self._own_port()}
        verdict = judge_dial(host, port, addresses, self._rules, own_ports=own_ports)
        if not verdict.allowed:
            raise RefusedError("blocked", f"{verdict.reason}: {', '.join(addresses)}")
        if self._rules.allows_exactly(host, port):
            _log.info("egress_exception_used", host=host, port=port)
        return addresses

    async def _resolve(self, host: str, record: EgressRecord) -> list[str]:
        try:
            async with asyncio.timeout(self._settings.dns_timeout_s):
                await record.lookups.acquire()
                # Shielded: a thread that hangs in the system keeps the page's place until it ends, or
                # a page full of dead names would use up the places of all.
                addresses = await asyncio.shield(self._begin(self._looked_up(host, record)))
        except (OSError, UnicodeError) as error:
            raise RefusedError("dns", repr(error)) from error
        if not addresses:
            raise RefusedError("dns", "no address")
        return addresses

    async def _looked_up(self, host: str, record: EgressRecord) -> list[str]:
        try:
            return await self._resolver(host)
        finally:
            record.lookups.release()

    def _begin(self, lookup: Coroutine[Any, Any, list[str]]) -> asyncio.Task[list[str]]:
        task = asyncio.create_task(lookup)
        self._lookups.add(task)
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task: asyncio.Task[list[str]]) -> None:
        self._lookups.discard(task)
        if not task.cancelled():
            task.exception()  # who waited has heard of it, or has left
