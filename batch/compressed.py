"""Zstandard streams that are read to their real end: one that was cut off is an error, not an end."""

from __future__ import annotations

import io
from typing import Any, BinaryIO, cast

import zstandard

#: A kilobyte can hold at most 256 blocks of 128 kB: what one step may come to.
_STEP_BYTES = 1_024


class _Frames(io.RawIOBase):
    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._frame: Any = None
        self._ready = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        while not self._ready:
            given = self._stream.read(_STEP_BYTES)
            if not given:
                if self._frame is not None:
                    raise EOFError("the Zstandard stream was cut off")
                return 0
            self._ready = memoryview(self._decompressed(given))
        size = min(len(buffer), len(self._ready))
        buffer[:size] = self._ready[:size]
        self._ready = self._ready[size:]
        return size

    def _decompressed(self, given: bytes) -> bytes:
        parts = []
        while given:
            if self._frame is None:
                self._frame = zstandard.ZstdDecompressor().decompressobj()
            frame = self._frame
            parts.append(frame.decompress(given))
            given = frame.unused_data if frame.eof else b""
            if frame.eof:
                self._frame = None
        return b"".join(parts)


def open_zstd(stream: BinaryIO) -> BinaryIO:
    """The decompressed bytes of every frame, one after the other, in bounded memory.

    Reading raises ``EOFError`` where the stream ends inside a frame, and ``zstandard.ZstdError`` where it is
    damaged.
    """
    return cast(BinaryIO, io.BufferedReader(_Frames(stream)))
