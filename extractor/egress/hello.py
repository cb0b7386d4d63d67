"""The first bytes of a tunnel: is this TLS for pages, or something else?

Inside a tunnel the proxy sees no request, so this is the one place where a WebSocket can be told from a
page. Chromium offers HTTP/2 by ALPN (RFC 7301) for every page; for a WebSocket it offers HTTP/1.1 alone,
and one to a ``ws:`` address comes without TLS.
"""

from __future__ import annotations

import asyncio

_RECORD_HEADER = 5
_HANDSHAKE, _CLIENT_HELLO, _ALPN = 22, 1, 16
_MAX_RECORD = 1 << 14


async def read_hello(reader: asyncio.StreamReader, first: bytes, timeout_s: float) -> bytes:
    """``first`` and what is missing of the first TLS record; less when it is none or the client ends.

    Raises:
        OSError: the connection broke or stood still (``TimeoutError``).
    """
    async with asyncio.timeout(timeout_s):
        while _is_incomplete(first):
            data = await reader.read(_MAX_RECORD)
            if not data:
                break
            first += data
    return first


def offers_http2(first: bytes) -> bool:
    """Whether these bytes are a TLS client hello that offers HTTP/2."""
    try:
        return b"h2" in _protocols(first)
    except (IndexError, ValueError):
        return False


def _is_incomplete(first: bytes) -> bool:
    if not first:
        return True
    if first[0] != _HANDSHAKE:
        return False
    size = _RECORD_HEADER + int.from_bytes(first[3:5])
    return len(first) < _RECORD_HEADER or len(first) < min(size, _RECORD_HEADER + _MAX_RECORD)


def _protocols(first: bytes) -> list[bytes]:
    """The ALPN names of a client hello (RFC 8446, 4.1.2), none when it has no such extension."""
    if first[0] != _HANDSHAKE or first[_RECORD_HEADER] != _CLIENT_HELLO:
        raise ValueError("not a TLS client hello")
    # Record header, handshake header, version, random; then three fields of their own length.
    rest = first[_RECORD_HEADER + 4 + 2 + 32 :]
    for width in (1, 2, 1):
        _, rest = _field(rest, width)
    extensions, _ = _field(rest, 2)
    while extensions:
        kind = int.from_bytes(extensions[:2])
        body, extensions = _field(extensions[2:], 2)
        if kind == _ALPN:
            names, _ = _field(body, 2)
            found = []
            while names:
                name, names = _field(names, 1)
                found.append(name)
            return found
    return []


def _field(data: bytes, width: int) -> tuple[bytes, bytes]:
    """A field that begins with its own length in ``width`` bytes, and what follows it."""
    end = width + int.from_bytes(data[:width])
    if len(data) < end:
        raise ValueError("truncated client hello")
    return data[width:end], data[end:]
