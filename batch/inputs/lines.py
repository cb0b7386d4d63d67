"""The lines of a text, whatever it is compressed with and encoded in, one at a time."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO, cast

import zstandard

from batch.compressed import open_zstd
from batch.errors import InputError

GZIP, ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
_MARKS = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))


@dataclass(frozen=True, slots=True)
class Line:
    """A line without its end. ``number`` counts from 1; ``fault`` says why ``text`` cannot be used."""

    number: int
    text: str
    fault: str = ""


class Peeked(io.RawIOBase):
    """A stream with its first bytes, which were read from it to look at them, put back in front."""

    def __init__(self, head: bytes, rest: BinaryIO) -> None:
        self._head, self._rest = head, rest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        chunk = self._head[: len(buffer)] or self._rest.read(len(buffer))
        self._head = self._head[len(chunk) :]
        buffer[: len(chunk)] = chunk
        return len(chunk)


def peek(stream: BinaryIO, size: int = 8_192) -> tuple[bytes, BinaryIO]:
    """The first bytes of a stream, and a stream that still has them."""
    head = stream.read(size)
    return head, cast(BinaryIO, io.BufferedReader(Peeked(head, stream)))


def decompressed(stream: BinaryIO) -> BinaryIO:
    """The stream without gzip or Zstandard, if it has either."""
    head, stream = peek(stream)
    if head.startswith(GZIP):
        return cast(BinaryIO, gzip.GzipFile(fileobj=stream))
    if head.startswith(ZSTD):
        return open_zstd(stream)
    return stream


def read_lines(stream: BinaryIO, max_chars: int, name: str) -> Iterator[Line]:
    """Every line, faulty ones included. UTF-8, or UTF-16 by its mark.

    Raises:
        InputError: the stream breaks off or is damaged; names the line.
    """
    number = 0
    try:
        head, stream = peek(decompressed(stream))
        encoding = next((codec for mark, codec in _MARKS if head.startswith(mark)), "utf-8")
        text = io.TextIOWrapper(stream, encoding=encoding, errors="surrogateescape", newline=None)
        while line := text.readline(max_chars + 1):
            number += 1
            fault = ""
            if len(line) > max_chars:
                fault = f"longer than {max_chars} characters"
                while not line.endswith("\n") and (line := text.readline(max_chars)):
                    pass
                line = ""
            elif not line.isascii() and any("\udc80" <= char <= "\udcff" for char in line):
                fault = f"not valid {encoding.upper()}"
            yield Line(number, line.rstrip("\n"), fault)
    except (OSError, EOFError, zlib.error, zstandard.ZstdError, UnicodeError) as error:
        raise InputError(f"{name}: unreadable after line {number}: {error}") from error
