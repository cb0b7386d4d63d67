"""The comparison as one HTML file: tables, charts, and the size of each request."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape

from testbed.compare.charts import COLOURS, curves, frame
from testbed.compare.report import STYLE, grid
from testbed.replay.run import Row
from testbed.replay.summary import Summary, by, lines, summarise
from testbed.replay.table import grids

_CHARTS: dict[str, Callable[[Summary], float | None]] = {
    "Identifiers that the agent used next and had not seen for half a budget, in view": (
        lambda s: s.far.value
    ),
    "The same with one look-up": lambda s: s.far_reach.value,
    "Planted facts in view": lambda s: s.facts.value,
    "Planted facts with one look-up": lambda s: s.facts_reach.value,
    "Characters that are the start of the request before": lambda s: s.reuse,
    "Cost against sending everything (over 1: dearer)": lambda s: min(1.0, s.cost),
}
_LEFT, _WIDTH, _HEIGHT = 90, 620, 200


def html(rows: Sequence[Row]) -> str:
    """A whole document that needs nothing else."""
    parts = [
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Compactors compared</title>',
        f"<style>{STYLE}</style></head><body><h1>Compactors compared</h1>",
        f"<p>{len({row.recording for row in rows})} recorded histories, message by message.</p>",
    ]
    for group, of in by(rows, lambda row: row.group).items():
        parts.append(f"<h2>{escape(group)}</h2>")
        for title, (head, body) in grids(of).items():
            parts.append(f"<h3>{escape(title)}</h3>{grid(head, body)}")
        parts += [_curve(title, of, value) for title, value in _CHARTS.items()]
        parts += [_sizes(name, each) for name, each in by(of, _history).items()]
    return "".join([*parts, "</body></html>"])


def _history(row: Row) -> str:
    return f"{row.recording}, {row.budget}"


def _curve(title: str, rows: Sequence[Row], value: Callable[[Summary], float | None]) -> str:
    budgets = list(dict.fromkeys(row.budget for row in rows))
    found: dict[str, dict[str, float | None]] = {}
    for (budget, name), group in lines(rows).items():
        found.setdefault(name, {})[budget] = value(summarise(group))
    each = [(name, [at.get(budget) for budget in budgets]) for name, at in found.items()]
    if all(v is None for _, values in each for v in values):
        return ""
    return f"<h3>{escape(title)}</h3>{curves(title, budgets, each)}"


def _sizes(name: str, rows: Sequence[Row]) -> str:
    """Characters of each request, one line a compactor, beside the budget."""
    shown = [row for row in rows if row.replayed.sent and row.compactor != "none"]
    if not shown:
        return ""
    most = max(max(each.chars for each in row.replayed.sent) for row in shown)
    top, longest = max(most, rows[0].budget_chars), max(len(r.replayed.sent) for r in shown)
    budget = _HEIGHT - rows[0].budget_chars / top * (_HEIGHT - 20)
    title = f"Size of each request: {name}"
    parts = [
        frame(title, _HEIGHT + 24 * ((len(shown) + 2) // 3) + 16),
        f'<path d="M{_LEFT} {budget:.1f}h{_WIDTH}" stroke="currentColor" stroke-dasharray="4 4"/>'
        f'<text x="{_LEFT - 6}" y="{budget + 4:.1f}" text-anchor="end">'
        f"{rows[0].budget_chars:,}</text>",
    ]
    for number, row in enumerate(shown):
        colour = COLOURS[number % len(COLOURS)]
        dots = " ".join(
            f"{_LEFT + at / max(1, longest - 1) * _WIDTH:.1f},"
            f"{_HEIGHT - each.chars / top * (_HEIGHT - 20):.1f}"
            for at, each in enumerate(row.replayed.sent)
        )
        x, y = _LEFT + number % 3 * 210, _HEIGHT + 24 + number // 3 * 22
        parts.append(
            f'<polyline points="{dots}" fill="none" stroke="{colour}"/>'
            f'<rect x="{x}" y="{y - 10}" width="12" height="12" fill="{colour}"/>'
            f'<text x="{x + 18}" y="{y}">{escape(row.compactor)}</text>'
        )
    return f"<details><summary>{escape(title)}</summary>{''.join(parts)}</svg></details>"
