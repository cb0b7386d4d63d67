"""The order of the pipeline, in one place: snapshot → visibility → regions → units → fold → render.

Everything here is pure: the same snapshot and options give the same page.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence

from extractor.fold import fold
from extractor.head_tail import head_tail
from extractor.judged import Clock, Collapsed, Judged, Options
from extractor.markers import Folded, Frame
from extractor.order import order
from extractor.page import Page
from extractor.quarantine import quarantined
from extractor.refs import resolve
from extractor.regions import find_regions
from extractor.render.addresses import MAX_BASE_CHARS
from extractor.render.html import HtmlCosts, Shell, render_html
from extractor.render.markdown import MarkdownCosts, render_markdown
from extractor.render.outline import render_outline
from extractor.render.text import TextCosts, render_text
from extractor.request import PICTURES
from extractor.result import Rendered, page_of
from extractor.selectors import selected, unmatched
from extractor.snapshot import Snapshot
from extractor.tree import parse
from extractor.unicode_tricks import strip_tricks
from extractor.units import Doc, build, visible_chars
from extractor.visibility import judge

__all__ = ["Judged", "Options", "filter_judged", "judged", "unfold_judged"]

DEFAULT_BUDGETS = {"html": 35_000, "markdown": 35_000, "text": 10_000, "outline": 800}


def judged(snapshot: Snapshot, *, collapsed: Collapsed = "keep") -> Judged:
    """Parse a snapshot and run visibility, regions and unit building."""
    clock = Clock()
    tree = parse(snapshot.html)
    clock.lap("parse")
    verdicts = judge(tree, collapsed=collapsed)
    tree, hidden = quarantined(tree, verdicts)
    clock.lap("visibility")
    meta, chars = snapshot.meta, visible_chars(tree, verdicts.state)
    regions = find_regions(tree, verdicts, chars, viewport=meta.viewport, url=meta.final_url)
    clock.lap("regions")
    base = meta.final_url if len(meta.final_url) <= MAX_BASE_CHARS else ""
    roots = {item.node: item.role for item in regions.items[1:]}
    doc = build(tree, verdicts.state, regions.role_of, roots, base, hidden=hidden)
    clock.lap("units")
    title = strip_tricks(meta.title).text
    return Judged(snapshot, snapshot.id, title, verdicts, regions, doc, clock.laps)


def filter_judged(page: Judged, options: Options) -> Page:
    """Fold and render one judged snapshot in every format asked for."""
    clock = Clock(dict(page.timings_ms))
    doc, html = page.doc, page.snapshot.html
    if options.fold == "head_tail":
        ranked = head_tail(doc.unit_chars)
    else:
        ranked = order(doc, page.regions.main, options.query)
    clock.lap("order")
    included = selected(html, doc.tree, options.include, field="include")
    excluded = selected(html, doc.tree, options.exclude, field="exclude")
    content: dict[str, str] = {}
    budgets: dict[str, int] = {}
    folded = Folded([True] * doc.units, [])
    frame = _frame(page, main_only=False, included=included, excluded=excluded)
    for name in reversed(options.format):
        if name in ("links", "metadata", *PICTURES):
            continue
        budgets[name] = DEFAULT_BUDGETS[name] if options.budget is None else options.budget
        main_only = name == "markdown" if options.main_only is None else options.main_only
        frame = _frame(page, main_only=main_only, included=included, excluded=excluded)
        content[name], folded = _render(page, name, ranked, frame, budgets[name] or None)
        clock.lap(f"render_{name}")
    for name, picture in page.snapshot.pictures.items():
        if name in options.format:
            content[name] = base64.b64encode(picture).decode("ascii")
    notices = [
        *unmatched("include", options.include, included),
        *unmatched("exclude", options.exclude, excluded),
    ]
    return page_of(page, options, Rendered(content, budgets, folded, frame, notices), clock.laps)


def unfold_judged(page: Judged, ref: str, budget: int | None, name: str) -> str:
    """The units behind a ref, folded again if they do not fit."""
    first, last = resolve(page.doc, ref)
    frame = _frame(page, main_only=False, scope=page.doc.units_of(first, last))
    ranked = order(page.doc, page.regions.main)
    return _render(page, name, ranked, frame, budget)[0]


_Costs = Callable[[Doc, Shell, range], HtmlCosts | MarkdownCosts | TextCosts]
_Writer = Callable[[Doc, Folded, Shell, range], str]
_FORMATS: dict[str, tuple[_Costs, _Writer]] = {
    "html": (HtmlCosts, render_html),
    "markdown": (MarkdownCosts, render_markdown),
    "text": (TextCosts, render_text),
}


def _render(
    page: Judged, name: str, ranked: Sequence[int], frame: Frame, budget: int | None
) -> tuple[str, Folded]:
    doc, meta = page.doc, page.snapshot.meta
    if name == "outline":
        return render_outline(doc, page.regions, budget, title=page.title), Folded([], [])
    direction = (doc.attrs[0] or {}).get("dir", "") if doc.attrs else ""
    shell = Shell(page.snapshot_id, page.title, meta.lang, doc.base_url, direction)
    costs, write = _FORMATS[name]
    whole = Folded([unit in frame.scope for unit in range(doc.units)], [])
    if not any(frame.rule[unit] for unit in frame.scope):
        # A cost is an upper bound; only the real length may say that something must go.
        exact = costs(doc, shell, frame.scope)
        if budget is None or exact.total() <= budget * 1.5:
            text = write(doc, whole, shell, frame.scope)
            if budget is None or len(text) <= budget and budget >= 500:
                return text, whole
    folded = fold(doc, ranked, costs(doc, shell, frame.scope), frame, budget)
    return write(doc, folded, shell, frame.scope), folded


def _frame(
    page: Judged,
    *,
    main_only: bool,
    included: Sequence[bool] | None = None,
    excluded: Sequence[bool] | None = None,
    scope: range | None = None,
) -> Frame:
    doc, regions = page.doc, page.regions
    rules, roles, parts = [], [], []
    for unit in range(doc.units):
        node = doc.run_node[doc.unit_start[unit]]
        part = regions.role_of[node]
        parts.append(part)
        roles.append(regions.items[part].role)
        if excluded is not None and excluded[node]:
            rules.append("excluded")
        elif included is not None and not included[node]:
            rules.append("not_included")
        else:
            rules.append("main_only" if main_only and not regions.main[node] else "")
    return Frame(scope if scope is not None else range(doc.units), rules, roles, parts)
