"""A run as JSON, and as a Markdown table for documents."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict

from testbed.bench.row import Figure, Row

_HEAD = (
    "| what | quantity | ours | against | theirs | ratio | quartiles | goal | |",
    "|---|---|---:|---|---:|---:|---|---:|---|",
)


def as_json(rows: Sequence[Row], machine: Mapping[str, str], rounds: int) -> str:
    """Everything, each round's ratio too."""
    found = {"machine": dict(machine), "rounds": rounds, "rows": [asdict(row) for row in rows]}
    return json.dumps(_plain(found), indent=1)


def as_markdown(rows: Sequence[Row], machine: Mapping[str, str], rounds: int) -> str:
    """One line a figure; what was skipped is named, with the reason."""
    lines = [*_HEAD]
    for row in rows:
        if row.skipped:
            lines.append(f"| {row.name} | skipped | | {row.against} | | | | | {row.skipped} |")
        for number, figure in enumerate(row.figures):
            remark = "; ".join(row.remarks) if number == 0 else ""
            lines.append(_line(row.name if number == 0 else "", row.against, figure, remark))
    about = ", ".join(f"{name} {value}" for name, value in machine.items())
    return "\n".join([*lines, "", f"{rounds} rounds after one that does not count; {about}.", ""])


def _line(name: str, against: str, figure: Figure, remark: str) -> str:
    goal = ""
    if figure.goal is not None:
        sign = "≥" if figure.at_least else "≤"
        goal = f"{'' if figure.reached else '**'}{sign} {figure.goal:g}{'' if figure.reached else '**'}"
    alone = math.isnan(figure.theirs)
    return (
        f"| {name} | {figure.what} | {_number(figure.ours)} | {'-' if alone else against} | "
        f"{'' if alone else _number(figure.theirs)} | {'' if alone else _number(figure.ratio)} | "
        f"{_number(figure.low)} – {_number(figure.high)} | {goal} | {remark} |"
    )


def _number(value: float) -> str:
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.3g}" if value < 1 else f"{value:.2f}"


def _plain(value: object) -> object:
    """JSON has no number for "nothing stands beside it"."""
    if isinstance(value, Mapping):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return None if isinstance(value, float) and math.isnan(value) else value
