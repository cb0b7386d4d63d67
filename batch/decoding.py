"""Archived bodies as a browser would have seen them.

Archives disagree on whether a body is stored as it was sent or already decoded, whatever its headers
say; so each step is tried, and a body that does not fit the header's word is taken as decoded.
"""

from __future__ import annotations

import zlib

import brotli  # type: ignore[import-untyped]  # it ships no types
import zstandard


def decode_body(body: bytes, transfer: str, encodings: str, max_bytes: int) -> bytes:
    """The body without chunks and compression.

    Args:
        body: as stored.
        transfer: the ``Transfer-Encoding`` header, or empty.
        encodings: the ``Content-Encoding`` header, or empty.
        max_bytes: of the result.

    Raises:
        ValueError: the result would be larger.
    """
    if "chunked" in transfer.lower():
        body = _without_chunks(body)
    for name in reversed([part.strip().lower() for part in encodings.split(",")]):
        body = _decompress(body, name, max_bytes)
    if len(body) > max_bytes:
        raise ValueError(f"a body is larger than {max_bytes} decoded bytes")
    return body


def _without_chunks(body: bytes) -> bytes:
    parts: list[bytes] = []
    at = 0
    while True:
        end = body.find(b"\r\n", at, at + 64)
        size_text = body[at:end].partition(b";")[0].strip()
        try:
            size = int(size_text, 16)
        except ValueError:
            return b"".join(parts) if parts else body
        if end < 0 or size < 0:
            return b"".join(parts) if parts else body
        if size == 0:
            return b"".join(parts)
        parts.append(body[end + 2 : end + 2 + size])
        at = end + 2 + size + 2


def _decompress(body: bytes, name: str, max_bytes: int) -> bytes:
    try:
        match name:
            case "gzip" | "x-gzip":
                return zlib.decompressobj(47).decompress(body, max_bytes + 1)
            case "deflate":
                # Half of the world's servers leave the zlib header out.
                wbits = 15 if body[:1] == b"\x78" else -15
                return zlib.decompressobj(wbits).decompress(body, max_bytes + 1)
            case "br":
                return bytes(brotli.Decompressor().process(body, output_buffer_limit=max_bytes + 1))
            case "zstd":
                reader = zstandard.ZstdDecompressor().stream_reader(body)
                return reader.read(max_bytes + 1)
            case _:
                return body
    except (zlib.error, brotli.error, zstandard.ZstdError):
        return body
