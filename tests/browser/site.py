"""A web site of the test's own, on a loopback port."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Answer:
    body: bytes | str
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)


Stream = Callable[[asyncio.StreamWriter], Awaitable[None]]
Routes = dict[str, Answer | str | Stream]


@dataclass(slots=True)
class Site:
    port: int
    routes: Routes
    seen: list[tuple[str, dict[str, str]]] = field(default_factory=list)

    def url(self, path: str = "/", host: str = "127.0.0.1") -> str:
        return f"http://{host}:{self.port}{path}"


@asynccontextmanager
async def serve(routes: Routes, *, tls: ssl.SSLContext | None = None) -> AsyncIterator[Site]:
    """Serve ``routes`` (path without its query to answer) while the block runs."""
    site = Site(0, routes)
    open_writers: set[asyncio.StreamWriter] = set()

    async def on_connection(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        open_writers.add(writer)
        try:
            await _answer(site, reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            return  # the browser left, or the test is over
        finally:
            open_writers.discard(writer)
            writer.close()

    server = await asyncio.start_server(on_connection, "127.0.0.1", 0, ssl=tls)
    site.port = server.sockets[0].getsockname()[1]
    try:
        yield site
    finally:
        server.close()
        for writer in open_writers:
            writer.transport.abort()
        await server.wait_closed()


async def _answer(site: Site, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    target = head[0].split(" ")[1]
    pairs = (line.partition(":") for line in head[1:] if line)
    site.seen.append((target, {name.lower(): value.strip() for name, _, value in pairs}))
    route = site.routes.get(target.partition("?")[0])
    if route is None:
        route = Answer("", 404)
    if callable(route):
        await route(writer)
        return
    answer = Answer(route) if isinstance(route, str) else route
    body = answer.body.encode() if isinstance(answer.body, str) else answer.body
    headers = {"Content-Type": "text/html; charset=utf-8", **answer.headers}
    lines = [f"HTTP/1.1 {answer.status} X", *(f"{k}: {v}" for k, v in headers.items())]
    lines += [f"Content-Length: {len(body)}", "Connection: close", "", ""]
    writer.write("\r\n".join(lines).encode() + body)
    await writer.drain()
