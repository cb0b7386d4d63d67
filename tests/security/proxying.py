"""Raw requests through the proxy, and servers of the tests' own on loopback."""

from __future__ import annotations

import asyncio
import base64
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable

from extractor.egress.proxy import EgressProxy
from extractor.settings import ExtractorSettings

Handler = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
PAGE = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 5\r\n\r\nhello"


def limits(*allow: str, **values: object) -> ExtractorSettings:
    return ExtractorSettings.model_validate({"allow_hosts": allow, **values})


@contextlib.asynccontextmanager
async def server(handler: Handler, host: str = "127.0.0.1", port: int = 0) -> AsyncIterator[int]:
    """Listen while the block runs; yields the port. Connections that are open at its end are cut."""
    tasks: set[asyncio.Task[None]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        tasks.add(task)
        with contextlib.suppress(
            ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError
        ):
            await handler(reader, writer)
        writer.close()

    listening = await asyncio.start_server(serve, host, port)
    async with listening:
        yield listening.sockets[0].getsockname()[1]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks)


def answering(answer: bytes, seen: list[bytes]) -> Handler:
    """A handler that notes each request's head and gives one answer."""

    async def handler(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        seen.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(answer)
        await writer.drain()

    return handler


async def hang(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await asyncio.sleep(60)


def get(url: str, *headers: str) -> bytes:
    lines = [f"GET {url} HTTP/1.1", "Host: whatever.example", *headers, "", ""]
    return "\r\n".join(lines).encode()


def connect(authority: str) -> bytes:
    return f"CONNECT {authority} HTTP/1.1\r\nHost: {authority}\r\n\r\n".encode()


def with_credentials(proxy: EgressProxy, request: bytes, key: str = "k") -> bytes:
    pair = base64.b64encode(":".join(proxy.credentials(key)).encode())
    head, _, rest = request.partition(b"\r\n")
    return head + b"\r\nProxy-Authorization: Basic " + pair + b"\r\n" + rest


async def raw(proxy: EgressProxy, request: bytes) -> bytes:
    """Everything that comes back until the proxy closes."""
    reader, writer = await asyncio.open_connection("127.0.0.1", proxy.port)
    writer.write(request)
    answer = b""
    with contextlib.suppress(ConnectionError):
        while data := await reader.read(1 << 16):
            answer += data
    writer.close()
    with contextlib.suppress(ConnectionError):
        await writer.wait_closed()
    return answer


async def ask(proxy: EgressProxy, request: bytes, key: str = "k") -> bytes:
    return await raw(proxy, with_credentials(proxy, request, key))
