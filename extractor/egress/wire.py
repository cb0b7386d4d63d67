"""Bytes between the browser, the proxy and servers: HTTP/1.1 events and tunnels."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable

import h11

_CHUNK_BYTES = 1 << 16

Headers = list[tuple[bytes, bytes]]
H11Event = h11.Event | type[h11.NEED_DATA] | type[h11.PAUSED]

#: Headers that belong to one connection and are never passed on (RFC 9110, 7.6.1).
HOP_BY_HOP = frozenset(
    {
        b"connection",
        b"keep-alive",
        b"proxy-authenticate",
        b"proxy-authentication-info",
        b"proxy-authorization",
        b"proxy-connection",
        b"te",
        b"trailer",
        b"transfer-encoding",
        b"upgrade",
    }
)


class HttpStream:
    """One HTTP/1.1 connection, in either role.

    Args:
        idle_timeout_s: longest wait for the other side to send or to take anything.
        max_header_bytes: longest head of a request or an answer.
        on_bytes: told the size of everything that is read. ``on_sent``: of every event written.
    """

    def __init__(
        self,
        role: type[h11.CLIENT] | type[h11.SERVER],
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        *,
        idle_timeout_s: float,
        max_header_bytes: int,
        on_bytes: Callable[[int], None] = lambda size: None,
        on_sent: Callable[[int], None] = lambda size: None,
    ) -> None:
        self.http = h11.Connection(role, max_incomplete_event_size=max_header_bytes)
        self.reader = reader
        self.writer = writer
        self._idle_timeout_s = idle_timeout_s
        self.on_bytes = on_bytes
        self.on_sent = on_sent

    async def next_event(self) -> H11Event:
        """The next event that is not ``NEED_DATA``.

        Raises:
            h11.RemoteProtocolError: the other side does not speak HTTP/1.1.
            OSError: the connection broke or stood still (``TimeoutError``).
        """
        while (event := self.http.next_event()) is h11.NEED_DATA:
            async with asyncio.timeout(self._idle_timeout_s):
                data = await self.reader.read(_CHUNK_BYTES)
            self.on_bytes(len(data))
            self.http.receive_data(data)
        return event

    async def send(self, event: h11.Event) -> None:
        """Write one event.

        Raises:
            OSError: the connection broke or stood still (``TimeoutError``).
        """
        data = self.http.send(event)
        if data:
            self.on_sent(len(data))
            self.writer.write(data)
            async with asyncio.timeout(self._idle_timeout_s):
                await self.writer.drain()


def end_to_end(headers: Iterable[tuple[bytes, bytes]], drop: frozenset[bytes]) -> Headers:
    """Headers that may be passed on: none that is hop-by-hop, named in ``Connection`` or in ``drop``."""
    pairs = list(headers)
    named = {
        token.strip().lower()
        for name, value in pairs
        if name.lower() in (b"connection", b"proxy-connection")
        for token in value.split(b",")
    }
    refused = HOP_BY_HOP | named | drop
    return [(name, value) for name, value in pairs if name.lower() not in refused]


class Tunnel:
    """Copies bytes both ways until both sides have ended, one breaks, or nothing moves for a while."""

    def __init__(self, idle_timeout_s: float) -> None:
        self._idle_timeout_s = idle_timeout_s
        self._moved_at_s = 0.0

    async def run(self, client: HttpStream, server: HttpStream, first: bytes) -> None:
        """Send ``first`` to the server, then copy.

        Raises:
            ExceptionGroup: of ``OSError`` or of what the callbacks raise.
        """
        self._moved_at_s = asyncio.get_running_loop().time()
        if first:
            server.writer.write(first)
            server.on_sent(len(first))
        async with asyncio.TaskGroup() as group:
            group.create_task(self._copy(client.reader, server.writer, server.on_sent))
            group.create_task(self._copy(server.reader, client.writer, server.on_bytes))

    async def _copy(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        on_bytes: Callable[[int], None],
    ) -> None:
        loop = asyncio.get_running_loop()
        while True:
            try:
                async with asyncio.timeout_at(self._moved_at_s + self._idle_timeout_s):
                    data = await reader.read(_CHUNK_BYTES)
            except TimeoutError:
                # The other direction may have moved meanwhile: one long download sends nothing up.
                if loop.time() - self._moved_at_s < self._idle_timeout_s:
                    continue
                raise
            self._moved_at_s = loop.time()
            if not data:
                if writer.can_write_eof():
                    writer.write_eof()
                return
            on_bytes(len(data))
            writer.write(data)
            async with asyncio.timeout(self._idle_timeout_s):
                await writer.drain()
