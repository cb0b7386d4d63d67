"""TLS servers on loopback, each with something wrong about it."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
import warnings
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta

import trustme

Handler = Callable[[asyncio.StreamReader, asyncio.StreamWriter], object]
BODY = b"<p>Over TLS.</p>"
PAGE = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%b"

AUTHORITY = trustme.CA()
STRANGER = trustme.CA()


def good() -> ssl.SSLContext:
    return _context(AUTHORITY.issue_cert("127.0.0.1"))


def untrusted() -> ssl.SSLContext:
    return _context(STRANGER.issue_cert("127.0.0.1"))


def wrong_host() -> ssl.SSLContext:
    return _context(AUTHORITY.issue_cert("other.example"))


def expired() -> ssl.SSLContext:
    ended = datetime.now(UTC) - timedelta(days=1)
    return _context(AUTHORITY.issue_cert("127.0.0.1", not_after=ended))


def outdated() -> ssl.SSLContext:
    """TLS 1.0 alone."""
    context = good()
    context.set_ciphers("DEFAULT:@SECLEVEL=0")
    with warnings.catch_warnings(action="ignore", category=DeprecationWarning):
        context.minimum_version = context.maximum_version = ssl.TLSVersion.TLSv1
    return context


@asynccontextmanager
async def tls_server(
    context: ssl.SSLContext, seen: list[bytes], body: bytes = BODY
) -> AsyncIterator[int]:
    """Answers every request with ``body``; ``seen`` gets what was asked once TLS stands."""

    refuses = context.maximum_version == ssl.TLSVersion.TLSv1

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            if refuses:
                writer.write(_alert(context, await reader.read(1 << 16)))
                await writer.drain()
                return
            seen.append(await reader.readuntil(b"\r\n\r\n"))
            writer.write(PAGE % (len(body), body))
            await writer.drain()
        except (OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=None if refuses else context)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()


def _alert(context: ssl.SSLContext, hello: bytes) -> bytes:
    """What the server says to a client that is too new for it; asyncio would close without a word."""
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    incoming.write(hello)
    session = context.wrap_bio(incoming, outgoing, server_side=True)
    with contextlib.suppress(ssl.SSLError):
        session.do_handshake()
    return outgoing.read()


def _context(certificate: trustme.LeafCert) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    certificate.configure_cert(context)
    return context
