"""Rows as Parquet."""

from __future__ import annotations

from typing import Any, BinaryIO

import orjson

from batch.errors import extra
from batch.schema import arrow_record, arrow_schema

#: JSON bytes of rows after which a row group is written: what is held in memory.
_GROUP_BYTES = 16_000_000


class ParquetRows:
    """Writes row groups of bounded size. Implements ``RowWriter``.

    Raises:
        MissingExtra: pyarrow is not installed.
    """

    suffix = ".parquet"

    def __init__(self, file: BinaryIO) -> None:
        self._arrow = extra("pyarrow")
        parquet = extra("pyarrow.parquet")
        self._out = parquet.ParquetWriter(file, arrow_schema(), compression="zstd")
        self._rows: list[dict[str, Any]] = []
        self._bytes = 0

    def add(self, line: bytes) -> None:
        """Take one row, given as JSON in one line."""
        self._rows.append(arrow_record(orjson.loads(line)))
        self._bytes += len(line)
        if self._bytes >= _GROUP_BYTES:
            self._flush()

    def close(self) -> None:
        """Write what is left; the file stays open."""
        self._flush()
        self._out.close()

    def _flush(self) -> None:
        if self._rows:
            table = self._arrow.Table.from_pylist(self._rows, schema=arrow_schema())
            self._out.write_table(table)
        self._rows, self._bytes = [], 0
