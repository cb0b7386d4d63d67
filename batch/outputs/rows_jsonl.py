"""Rows as JSON lines, compressed with Zstandard."""

from __future__ import annotations

from typing import BinaryIO

import zstandard

_LEVEL = 10


class JsonlRows:
    """Writes one row a line. Implements ``RowWriter``."""

    suffix = ".jsonl.zst"

    def __init__(self, file: BinaryIO) -> None:
        self._out = zstandard.ZstdCompressor(level=_LEVEL).stream_writer(file, closefd=False)

    def add(self, line: bytes) -> None:
        """Write one row, given as JSON in one line."""
        self._out.write(line + b"\n")

    def close(self) -> None:
        """Write what is left; the file stays open."""
        self._out.close()  # type: ignore[no-untyped-call]
