"""The comparison as one HTML file: tables, charts, and the worst pages side by side."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from testbed.compare.charts import bars, curves, strip
from testbed.compare.pages import GoldPage, digest
from testbed.compare.run import Row
from testbed.compare.statistics import p_value, paired
from testbed.compare.summary import by, lines, summarise
from testbed.compare.table import grids
from testbed.compare.worst import Look, Worst, worst_pages

OWN = "pagefold"
_SHOWN_LINES = 400
STYLE = """
:root { color-scheme: light dark; --soft: #8a8f9833; }
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 72rem; padding: 0 1rem; }
table { border-collapse: collapse; margin: 1rem 0; font-size: 13px; display: block; overflow-x: auto; }
th, td { border-bottom: 1px solid var(--soft); padding: 3px 8px; text-align: right; white-space: nowrap; }
th:first-child, td:first-child { text-align: left; }
svg.chart { width: 100%; max-width: 55rem; font-size: 13px; } svg.chart text { fill: currentColor; }
.looks { display: grid; grid-template-columns: repeat(auto-fit, minmax(20rem, 1fr)); gap: 1rem; }
.look { display: grid; grid-template-columns: 24px 1fr; gap: 8px; }
.strip { width: 20px; height: 26rem; } .lines { height: 26rem; overflow: auto; font-size: 13px; }
.lines p { margin: 0; padding: 0 4px; border-left: 4px solid; }
rect.kept { fill: #009e73 } rect.noise { fill: #d55e00 } rect.lost { fill: #e69f00 }
rect.dropped { fill: #c9cdd4 }
p.kept { border-color: #009e73 } p.noise { border-color: #d55e00; background: #d55e0022 }
p.lost { border-color: #e69f00; background: #e69f0033 } p.dropped { border-color: #c9cdd4; opacity: .6 }
"""
_KEY = (
    ("kept", "kept, and in the gold"),
    ("noise", "kept, not in the gold"),
    ("lost", "dropped, though in the gold"),
    ("dropped", "dropped, not in the gold"),
)


def html(rows: Sequence[Row], pages: Sequence[GoldPage]) -> str:
    """A whole document that needs nothing else."""
    parts = [
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Filters compared</title>',
        f"<style>{STYLE}</style></head><body><h1>Filters compared</h1>",
        f"<p>{len(pages)} pages; data <code>{digest(pages)[:16]}</code>. Intervals are 95 %, from "
        "resampling pages.</p>",
    ]
    for dataset, group in by(rows, lambda row: row.dataset).items():
        parts.append(f"<h2>{escape(dataset)}</h2>")
        parts += [grid(head, body) for head, body in grids(group)]
        parts += [_f1(group), _retention(group), _differences(group)]
        parts += [_worst(each) for each in worst_pages(group, pages, OWN)]
    return "".join([*parts, "</body></html>"])


def grid(head: Sequence[str], body: Sequence[Sequence[str]]) -> str:
    """A table in HTML."""
    cells = "".join(f"<th>{escape(name)}</th>" for name in head)
    lines = ("".join(f"<td>{escape(cell)}</td>" for cell in row) for row in body)
    return f"<table><tr>{cells}</tr>{''.join(f'<tr>{line}</tr>' for line in lines)}</table>"


def _f1(rows: Sequence[Row]) -> str:
    found = [summarise(group) for (_, budget), group in lines(rows).items() if not budget]
    values = [
        (each.filter, each.shares["f1"], _is_own(each.filter))
        for each in found
        if "f1" in each.shares
    ]
    values.sort(key=lambda value: -value[1].value)
    return f"<h3>Word F1</h3>{bars('Word F1 by filter', values)}" if values else ""


def _retention(rows: Sequence[Row]) -> str:
    budgets = sorted({row.budget for row in rows if row.budget}, reverse=True)
    if not budgets:
        return ""
    named: dict[str, dict[int, float]] = {}
    for (name, budget), group in lines(rows).items():
        if budget and (mean := summarise(group).shares.get("retention")):
            named.setdefault(name, {})[budget] = mean.value
    each = [(name, [found.get(budget) for budget in budgets]) for name, found in named.items()]
    title = "Answers still there at a budget of characters"
    return f"<h3>{title}</h3>{curves(title, budgets, each)}"


def _differences(rows: Sequence[Row]) -> str:
    """Ours against each other filter, page by page."""
    f1 = {name: group for (name, budget), group in lines(rows).items() if not budget}
    if OWN not in f1:
        return ""
    ours = [row.agreement.f1 for row in f1[OWN]]
    body = []
    for name, group in f1.items():
        theirs = [row.agreement.f1 for row in group]
        if name == OWN or (gap := paired(ours, theirs)) is None:
            continue
        p = p_value(ours, theirs)
        interval = f"[{gap.low:+.3f}, {gap.high:+.3f}]"
        body.append((name, f"{gap.value:+.3f}", interval, f"{p:.4f}", str(gap.pages)))
    head = (f"{OWN} minus", "F1", "95 %", "p (sign flips)", "pages")
    return f"<h3>Page by page</h3>{grid(head, body)}" if body else ""


def _worst(worst: Worst) -> str:
    name = escape(f"{worst.page.id} ({worst.page.kind})")
    address = escape(worst.page.url or "")
    key = " ".join(
        f'<svg width="12" height="12"><rect class="{kind}" width="12" height="12"/></svg> {text}'
        for kind, text in _KEY
    )
    looks = "".join(map(_side, worst.looks))
    return (
        f"<details><summary>{name}: F1 {worst.looks[0].f1:.3f}</summary><p>{address}</p>"
        f'<p>{key}</p><div class="looks">{looks}</div></details>'
    )


def _side(look: Look) -> str:
    shown = "".join(
        f'<p class="{fate}">{escape(line)}</p>' for line, fate in look.lines[:_SHOWN_LINES]
    )
    more = len(look.lines) - _SHOWN_LINES
    rest = f"<p>… {more} more lines</p>" if more > 0 else ""
    picture = strip([(len(line), fate) for line, fate in look.lines])
    return (
        f"<section><h4>{escape(look.filter)}: F1 {look.f1:.3f}</h4>"
        f'<div class="look">{picture}<div class="lines" tabindex="0">{shown}{rest}</div></div></section>'
    )


def _is_own(name: str) -> bool:
    return name.partition(":")[0] == OWN
