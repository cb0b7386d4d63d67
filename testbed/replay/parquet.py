"""Rows as a Parquet file, for whoever wants to look closer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from testbed.replay.run import Row
from testbed.replay.summary import Share, summarise


def write(rows: Sequence[Row], file: Path) -> None:
    """One line a row: its measures as in the table, hits and totals apart, and the size of each request.

    Raises:
        ImportError: pyarrow is not installed (extra ``eval``).
    """
    import pyarrow
    import pyarrow.parquet

    table = pyarrow.Table.from_pylist([_flat(row) for row in rows])
    pyarrow.parquet.write_table(table, file, compression="zstd")


def _flat(row: Row) -> dict[str, Any]:
    made = summarise([row])
    flat: dict[str, Any] = {
        "recording": row.recording,
        "group": row.group,
        "budget_chars": row.budget_chars,
        "history_chars": row.history_chars,
        "error": row.error,
        "request_chars": [each.chars for each in row.replayed.sent],
        "reused_chars": [each.reused for each in row.replayed.sent],
    }
    for name, value in asdict(made).items():
        own = getattr(made, name)
        if isinstance(own, Share):
            flat |= {f"{name}_hits": own.hits, f"{name}_of": own.of}
        elif name != "kinds":
            flat[name] = value
    for kind, (view, reach) in made.kinds.items():
        flat |= {f"{kind}_in_view": view.hits, f"{kind}_in_reach": reach.hits}
    return flat
