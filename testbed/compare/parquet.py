"""Rows as a Parquet file, for whoever wants to look closer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from testbed.compare.run import Row


def write(rows: Sequence[Row], file: Path) -> None:
    """One line a row; the measures of agreement stand beside the others under their names.

    Raises:
        ImportError: pyarrow is not installed (extra ``eval``).
    """
    import pyarrow
    import pyarrow.parquet

    flat = []
    for row in rows:
        values = asdict(row)
        flat.append({**values, **values.pop("agreement"), "shingle_f1": row.agreement.shingle_f1})
    for values in flat:
        values.pop("agreement", None)
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(flat), file, compression="zstd")
