"""What a table holds, in a few lines: extremes, totals, means, top shares, first and last row."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from compactor.folds.rows import Table
from compactor.messages import Json

_CELL = 40
_TOP = 3


def described(table: Table, most: int) -> str:
    """A line for each column and the first and last row, in at most ``most`` characters.

    Columns that find no room are counted in the last line.
    """
    ends = [f"first: {_row(table, 0)}", f"last: {_row(table, -1)}"]
    lines = [f"beside them: {_cut(table.around, 160)}"] if table.around else []
    room = most - sum(len(line) + 1 for line in (*lines, *ends))
    left = 0
    for place, name in enumerate(table.columns):
        line = f"{_cut(name, _CELL)}: {_column([row[place] for row in table.rows])}"
        if len(line) + 1 + 24 <= room:
            lines.append(line)
            room -= len(line) + 1
        else:
            left += 1
    if left:
        lines.append(f"… and {left} more columns")
    return "\n".join((*lines, *ends))


def _column(values: Sequence[Json]) -> str:
    present = [value for value in values if value is not None and value != ""]
    missing = len(values) - len(present)
    said = [f"{missing} empty"] if missing else []
    numbers = [v for v in present if isinstance(v, int | float) and not isinstance(v, bool)]
    finite = [v for v in numbers if math.isfinite(v)]
    if present and len(finite) == len(present):
        total = math.fsum(finite)
        said = [
            f"{_number(min(finite))} to {_number(max(finite))}",
            f"total {_number(total)}",
            f"mean {_number(total / len(finite))}",
            *said,
        ]
        return ", ".join(said)
    counts = Counter(str(value) for value in present)
    if present and len(counts) == len(present):
        return ", ".join((f"{len(counts):,} different", *said))
    # Ties in the order of their first row, so that the same table always reads the same.
    top = (
        f"{_cut(value, _CELL)} {count / len(values):.0%}"
        for value, count in counts.most_common(_TOP)
    )
    return ", ".join((f"{len(counts):,} different", *top, *said))


def _row(table: Table, index: int) -> str:
    cells = (_cut(str(value), _CELL) for value in table.rows[index])
    return _cut(" | ".join(cells), 160)


def _number(value: float) -> str:
    if isinstance(value, int) or value == int(value) and abs(value) < 1e15:
        return f"{int(value)}"
    return f"{value:.6g}"


def _cut(text: str, most: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"
