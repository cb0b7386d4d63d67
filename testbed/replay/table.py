"""The comparison as a table: in the terminal, and as Markdown for documents."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rich.console import Console
from rich.table import Table

from testbed.replay.facts import KINDS
from testbed.replay.run import Row
from testbed.replay.summary import Share, Summary, by, lines, summarise

Grid = tuple[tuple[str, ...], list[tuple[str, ...]]]

#: Heading, and how a line fills it. What the agent really needed comes first.
_COLUMNS: dict[str, Callable[[Summary], str]] = {
    "demand": lambda s: _share(s.demand),
    "+ look-up": lambda s: _share(s.demand_reach),
    "far": lambda s: _share(s.far),
    "far + look-up": lambda s: _share(s.far_reach),
    "look-ups/100": lambda s: f"{s.look_ups:.1f}",
    "max/B": lambda s: f"{s.worst:.2f}",
    "invalid": lambda s: str(s.invalid),
    "reuse": lambda s: f"{s.reuse:.3f}",
    "breaks/100": lambda s: f"{s.breaks:.1f}",
    "cost": lambda s: f"{s.cost:.2f}",
    "facts": lambda s: _share(s.facts),
    "rec": lambda s: _share(s.facts_reach),
    "stale": lambda s: f"{s.stale.hits}/{s.stale.of}" if s.stale.of else "",
    "ms": lambda s: f"{s.cpu_ms:.2f}",
    "last/first": lambda s: f"{s.flat:.1f}",
    "errors": lambda s: str(s.errors) if s.errors else "",
}


def show(rows: Sequence[Row], console: Console) -> None:
    """Print the tables of each group, and what ended early."""
    for group, of in by(rows, lambda row: row.group).items():
        for title, (head, body) in grids(of).items():
            table = Table(title=f"{group}: {title}", title_justify="left")
            for number, name in enumerate(head):
                table.add_column(name, justify="left" if number < 2 else "right")
            for cells in body:
                table.add_row(*cells)
            console.print(table)
    for row in rows:
        if row.error:
            console.print(
                f"{row.recording}, {row.budget}, {row.compactor}: {row.error}", markup=False
            )


def markdown(rows: Sequence[Row]) -> str:
    """The same as Markdown."""
    parts: list[str] = []
    for group, of in by(rows, lambda row: row.group).items():
        for title, (head, body) in grids(of).items():
            rule = ["---", "---", *("---:" for _ in head[2:])]
            cells = "\n".join(f"| {' | '.join(row)} |" for row in (head, rule, *body))
            parts += [f"### {group}: {title}", "", cells, ""]
    return "\n".join(parts)


def grids(rows: Sequence[Row]) -> dict[str, Grid]:
    """Head and lines of each table of one group, by title."""
    made = [summarise(of) for of in lines(rows).values()]
    names = [n for n in _COLUMNS if any(_COLUMNS[n](summary) for summary in made)]
    histories = len({row.recording for row in rows})
    title = f"{histories} histories" if histories > 1 else "one history"
    head = ("budget", "compactor", *names)
    found: dict[str, Grid] = {
        title: (head, [(s.budget, s.compactor, *(_COLUMNS[n](s) for n in names)) for s in made])
    }
    if any(summary.kinds for summary in made):
        kinds = [kind for kind in KINDS if any(kind in summary.kinds for summary in made)]
        found["planted facts, in view and with one look-up"] = (
            ("budget", "compactor", *kinds),
            [(s.budget, s.compactor, *(_kind(s, kind) for kind in kinds)) for s in made],
        )
    return found


def _kind(summary: Summary, kind: str) -> str:
    if kind not in summary.kinds:
        return ""
    view, reach = summary.kinds[kind]
    return f"{view.hits}, {reach.hits} of {view.of}"


def _share(share: Share) -> str:
    return "" if share.value is None else f"{share.value:.3f}"
