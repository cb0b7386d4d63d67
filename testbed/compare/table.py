"""The comparison as a table: in the terminal, and as Markdown for documents."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rich.console import Console
from rich.table import Table

from testbed.compare.run import Row
from testbed.compare.statistics import Mean
from testbed.compare.summary import Summary, by, lines, summarise

#: Kinds or languages that get a column; the largest groups first.
_MOST_GROUPS = 10

#: Heading, and how a line fills it.
_COLUMNS = (
    "pages",
    "errors",
    "F1",
    "macro F1",
    "precision",
    "recall",
    "shingle F1",
    "snippet F1",
    "unwanted",
    "retention",
    "fields",
    "whole",
    "characters",
    "ms",
    "x parse",
)


def show(rows: Sequence[Row], console: Console) -> None:
    """Print each data set: in one table, or in several where the console is too narrow for one."""
    for dataset, group in by(rows, lambda row: row.dataset).items():
        head, body = ("filter", "budget", *_used(group)), _cells(group)
        for number, columns in enumerate(_fitting(head, body, console.width)):
            table = Table(title="" if number else dataset, title_justify="left")
            for column in columns:
                table.add_column(head[column], justify="right" if column else "left", no_wrap=True)
            for cells in body:
                table.add_row(*(cells[column] for column in columns))
            console.print(table)


def _fitting(
    head: Sequence[str], body: Sequence[Sequence[str]], width: int
) -> list[tuple[int, ...]]:
    """Columns of each table, so that it is no wider than ``width``; all begin with the first two."""
    # Two spaces and a border for each column, and the last border.
    widths = [3 + max(len(row[n]) for row in (head, *body)) for n in range(len(head))]
    fixed, found, used = (0, 1), list[tuple[int, ...]](), 0
    for column in range(len(fixed), len(head)):
        if not found or used + widths[column] > width:
            found.append(fixed)
            used = 1 + widths[0] + widths[1]
        found[-1] += (column,)
        used += widths[column]
    return found


def markdown(rows: Sequence[Row]) -> str:
    """The same as Markdown, with F1 by kind of page and by language."""
    parts: list[str] = []
    for dataset, group in by(rows, lambda row: row.dataset).items():
        parts += [f"### {dataset}", ""]
        for head, body in grids(group):
            parts += [_grid(head, body), ""]
    return "\n".join(parts)


def grids(rows: Sequence[Row]) -> list[tuple[tuple[str, ...], list[tuple[str, ...]]]]:
    """Head and lines of each table of one data set."""
    found = [(("filter", "budget", *_used(rows)), _cells(rows))]
    for title, key in (("kind", _kind), ("language", _language)):
        groups = by(rows, key)
        if len(groups) > 1 and any(row.agreement.f1 is not None for row in rows):
            found.append(_split(rows, title, key))
    return found


def _kind(row: Row) -> str:
    return row.kind


def _language(row: Row) -> str:
    return row.language


def _split(
    rows: Sequence[Row], title: str, key: Callable[[Row], str]
) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    groups = dict(list(by(rows, key).items())[:_MOST_GROUPS])
    counts = {name: len({row.page for row in each}) for name, each in groups.items()}
    head = (f"F1 by {title}", *(f"{name} ({count})" for name, count in counts.items()))
    body = []
    for (name, budget), group in lines(rows).items():
        if budget:
            continue
        found = by(group, key)
        means = (
            summarise(found[each]).shares.get("f1") if each in found else None for each in groups
        )
        body.append((name, *(_mean(mean) for mean in means)))
    return head, body


def _cells(rows: Sequence[Row]) -> list[tuple[str, ...]]:
    used = _used(rows)
    found = []
    for (name, budget), group in lines(rows).items():
        values = _values(summarise(group))
        found.append((name, str(budget or "-"), *(values[column] for column in used)))
    return found


def _used(rows: Sequence[Row]) -> tuple[str, ...]:
    """Columns that say something for at least one line."""
    filled = [_values(summarise(group)) for group in lines(rows).values()]
    return tuple(name for name in _COLUMNS if any(values[name] for values in filled))


def _values(summary: Summary) -> dict[str, str]:
    shares = summary.shares
    return {
        "pages": str(summary.pages),
        "errors": str(summary.errors) if summary.errors else "",
        "F1": _mean(shares.get("f1")),
        "macro F1": _number(summary.macro_f1),
        "precision": _number(_value(shares.get("precision"))),
        "recall": _number(_value(shares.get("recall"))),
        "shingle F1": _number(summary.shingle_f1),
        "snippet F1": _number(summary.snippet_f1),
        "unwanted": _number(_value(shares.get("unwanted"))),
        "retention": _mean(shares.get("retention")),
        "fields": _number(_value(shares.get("fields"))),
        "whole": _number(_value(shares.get("well_formed"))),
        "characters": str(summary.output_chars),
        "ms": f"{summary.cpu_ms:.1f}",
        "x parse": f"{summary.parses:.1f}",
    }


def _grid(head: Sequence[str], body: Sequence[Sequence[str]]) -> str:
    rule = ["---", *("---:" for _ in head[1:])]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (head, rule, *body))


def _mean(found: Mean | None) -> str:
    if found is None:
        return ""
    return f"{found.value:.3f} [{found.low:.3f}, {found.high:.3f}]"


def _value(found: Mean | None) -> float | None:
    return found.value if found is not None else None


def _number(value: float | None) -> str:
    return f"{value:.3f}" if value is not None else ""
