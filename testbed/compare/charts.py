"""Charts as SVG: no script, no font, no file from elsewhere."""

from __future__ import annotations

import html
from collections.abc import Sequence

from testbed.compare.statistics import Mean

_ROW, _LEFT, _WIDTH, _RIGHT = 26, 190, 520, 180
#: Told apart without colour vision too (Okabe and Ito).
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#999999")


def bars(title: str, values: Sequence[tuple[str, Mean, bool]]) -> str:
    """Means between 0 and 1 with their intervals; the flag marks ours."""
    height = _ROW * len(values) + 40
    parts = [frame(title, height)]
    for number, (name, mean, own) in enumerate(values):
        y = 24 + number * _ROW
        colour = "#0072b2" if own else "#8a8f98"
        low, high = _x(mean.low), _x(mean.high)
        parts += [
            f'<text x="{_LEFT - 8}" y="{y + 13}" text-anchor="end">{html.escape(name)}</text>',
            f'<rect x="{_LEFT}" y="{y}" width="{_x(mean.value) - _LEFT:.1f}" height="18" fill="{colour}"/>',
            f'<path d="M{low:.1f} {y + 9}H{high:.1f}M{low:.1f} {y + 4}v10M{high:.1f} {y + 4}v10" '
            'stroke="currentColor" fill="none"/>',
            f'<text x="{_LEFT + _WIDTH + 8}" y="{y + 13}">{mean.value:.3f} '
            f"({mean.low:.3f}–{mean.high:.3f})</text>",
        ]
    return "".join([*parts, "</svg>"])


def curves(
    title: str, budgets: Sequence[int | str], lines: Sequence[tuple[str, Sequence[float | None]]]
) -> str:
    """One line a filter over the budgets, widest budget left."""
    height = 300
    parts = [frame(title, height + 24 * (len(lines) // 2 + 1))]
    step = _WIDTH / max(1, len(budgets) - 1)
    for tick in range(0, 11, 2):
        y = height - 20 - tick * 24
        parts.append(
            f'<path d="M{_LEFT} {y}h{_WIDTH}" stroke="#d7dae0"/><text x="{_LEFT - 8}" y="{y + 4}" '
            f'text-anchor="end">{tick / 10:.1f}</text>'
        )
    for number, budget in enumerate(budgets):
        x = _LEFT + number * step
        label = html.escape(budget) if isinstance(budget, str) else f"{budget:,}"
        parts.append(f'<text x="{x:.0f}" y="{height}" text-anchor="middle">{label}</text>')
    for number, (name, values) in enumerate(lines):
        colour = COLOURS[number % len(COLOURS)]
        dots = [
            (_LEFT + place * step, height - 20 - value * 240)
            for place, value in enumerate(values)
            if value is not None
        ]
        path = "L".join(f"{x:.1f} {y:.1f}" for x, y in dots)
        x, y = _LEFT + (number % 2) * 300, height + 24 + (number // 2) * 22
        parts += [
            f'<path d="M{path}" stroke="{colour}" fill="none" stroke-width="2"/>' if dots else "",
            *(f'<circle cx="{cx:.1f}" cy="{cy:.1f}" r="3.5" fill="{colour}"/>' for cx, cy in dots),
            f'<rect x="{x}" y="{y - 10}" width="12" height="12" fill="{colour}"/>'
            f'<text x="{x + 18}" y="{y}">{html.escape(name)}</text>',
        ]
    return "".join([*parts, "</svg>"])


def strip(shares: Sequence[tuple[int, str]]) -> str:
    """A page from top to bottom as one narrow picture: (size, class) of each of its lines."""
    whole = max(1, sum(size for size, _ in shares))
    parts, top = ['<svg class="strip" viewBox="0 0 20 400" role="img" aria-label="the page">'], 0.0
    for size, name in shares:
        tall = size * 400 / whole
        parts.append(
            f'<rect class="{name}" x="0" y="{top:.2f}" width="20" height="{tall + 0.05:.2f}"/>'
        )
        top += tall
    return "".join([*parts, "</svg>"])


def frame(title: str, height: int) -> str:
    """The start of a chart; whoever opens it closes it."""
    width = _LEFT + _WIDTH + _RIGHT
    return (
        f'<svg class="chart" viewBox="0 0 {width} {height}" role="img" '
        f'aria-label="{html.escape(title)}"><title>{html.escape(title)}</title>'
    )


def _x(value: float) -> float:
    return _LEFT + value * _WIDTH
