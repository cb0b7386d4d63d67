"""Serves the small web: ``python -m testbed.crawl serve`` and, within a process, ``serving``."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import struct
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import BinaryIO

from testbed.crawl.addresses import HOSTS, SmallWeb
from testbed.crawl.answers import Reply, reply
from testbed.crawl.log import Hit

_TRIES = 50
_Visited = Callable[[asyncio.StreamReader, asyncio.StreamWriter], None]


class Servers:
    """Twenty hosts in one event loop. Each request is a line of the log once it is over."""

    def __init__(self, web: SmallWeb, log: BinaryIO | None) -> None:
        self._web, self._log = web, log
        self._times: Counter[tuple[int, str]] = Counter()
        self._visits: set[asyncio.Task[None]] = set()
        self._servers: list[asyncio.Server] = []

    async def start(self, sockets: list[socket.socket]) -> None:
        for host, listener in enumerate(sockets):
            server = await asyncio.start_server(self._visited(host), sock=listener, backlog=256)
            self._servers.append(server)

    async def close(self) -> None:
        for server in self._servers:
            server.close()
        for visit in self._visits:
            visit.cancel()
        await asyncio.gather(*self._visits, return_exceptions=True)

    def _visited(self, host: int) -> _Visited:
        def visited(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            visit = asyncio.create_task(self._visit(host, reader, writer))
            self._visits.add(visit)
            visit.add_done_callback(self._visits.discard)

        return visited

    async def _visit(
        self, host: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        with contextlib.suppress(OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            target = head.split(" ", 2)[1]
            at = time.time()
            made = reply(self._web, host, target, self._times[host, target])
            self._times[host, target] += 1
            try:
                await _send(made, reader, writer)
            finally:
                self._note(Hit(at, time.time(), host, target, made.status, _agent(head)))
        writer.close()

    def _note(self, hit: Hit) -> None:
        if self._log is not None:
            self._log.write(hit.line())
            self._log.flush()


async def _send(made: Reply, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    # Whoever waits too long goes away, which ends the reading.
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(made.wait_s):
            if made.wait_s != 0:
                await reader.read()
                return
    if made.status == 0:
        # With no time to linger, closing sends a reset.
        raw = writer.get_extra_info("socket")
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        writer.transport.abort()
        return
    writer.write(made.head() + made.body)
    await writer.drain()


def _agent(head: str) -> str:
    lines = (line.partition(":") for line in head.split("\r\n")[1:])
    return next((value.strip() for name, _, value in lines if name.lower() == "user-agent"), "")


def listen(port: int = 0) -> tuple[int, list[socket.socket]]:
    """One port that is free on all hosts, and sockets that listen on it.

    Raises:
        OSError: there is none; or this system has no such loopback addresses.
    """
    for attempt in range(_TRIES):
        with contextlib.ExitStack() as stack:
            first = stack.enter_context(socket.create_server((HOSTS[0], port), backlog=256))
            chosen = int(first.getsockname()[1])
            sockets = [first]
            try:
                for host in HOSTS[1:]:
                    made = socket.create_server((host, chosen), backlog=256)
                    sockets.append(stack.enter_context(made))
            except OSError:
                if port or attempt == _TRIES - 1:
                    raise
                continue
            stack.pop_all()
            return chosen, sockets
    raise AssertionError("unreachable")


@contextlib.asynccontextmanager
async def serving(
    pages: int, *, port: int = 0, only: str | None = None, log: Path | None = None
) -> AsyncIterator[SmallWeb]:
    """The web while the block runs; the log is appended to."""
    chosen, sockets = listen(port)
    web = SmallWeb(pages, chosen, only)
    with log.open("ab") if log else contextlib.nullcontext() as file:
        servers = Servers(web, file)
        try:
            await servers.start(sockets)
            yield web
        finally:
            await servers.close()
