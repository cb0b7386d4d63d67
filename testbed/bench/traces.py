"""What noting evidence, recalling and opening anew cost in a session that knows much, on each database."""

from __future__ import annotations

import os
import tempfile

from testbed.bench.row import Row, single
from testbed.trace_bench import RESTART, filled_and_measured

#: CPU milliseconds, the median of many calls.
_MOST_MS = 5.0
_POSTGRES = "PAGEFOLD_BENCH_POSTGRES"


def trace_rows(events: int) -> list[Row]:
    """A row for SQLite, and one for PostgreSQL where its URL is given."""
    with tempfile.TemporaryDirectory(prefix="pagefold-") as folder:
        rows = [_row("SQLite", f"sqlite:///{folder}/s.db", events)]
    url = os.environ.get(_POSTGRES, "")
    if not url:
        why = f"{_POSTGRES} names no database"
        return [*rows, Row("trace of a session, PostgreSQL", "-", skipped=why)]
    return [*rows, _row("PostgreSQL", url, events)]


def _row(name: str, url: str, events: int) -> Row:
    spent = filled_and_measured(url, events)
    figures = tuple(
        single(f"CPU ms, {what}", times, None if what == RESTART else _MOST_MS)
        for what, times in spent.items()
    )
    return Row(f"trace of a session, {name}", "-", figures, (f"{events:,} events before",))
