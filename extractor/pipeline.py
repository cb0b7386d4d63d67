"""The order of the pipeline, in one place: snapshot → visibility → regions → units → fold → render.

Everything here is pure: the same snapshot and options give the same page.
"""

from __future__ import annotations

import base64
import time
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from selectolax.lexbor import LexborHTMLParser

from extractor.errors import InvalidSelector
from extractor.fold import Folded, Frame, Marker, fold
from extractor.order import order
from extractor.page import Fold, LedgerEntry, Page, Region, Stats
from extractor.refs import ref_of, resolve
from extractor.regions import Regions, find_regions
from extractor.render.addresses import MAX_BASE_CHARS
from extractor.render.html import HtmlCosts, Shell, render_html
from extractor.render.links import links_of
from extractor.render.markdown import MarkdownCosts, render_markdown
from extractor.render.metadata import metadata_of
from extractor.render.outline import render_outline
from extractor.render.text import TextCosts, render_text
from extractor.request import PICTURES
from extractor.snapshot import Notice, Snapshot
from extractor.tree import TEXT, Tree, parse, path_of
from extractor.units import Doc, build, visible_chars
from extractor.unseen import unseen_of
from extractor.visibility import Verdicts, judge

DEFAULT_BUDGETS = {"html": 35_000, "markdown": 35_000, "text": 10_000, "outline": 800}
_MAIN_ROLES = frozenset({"main", "article"})
#: Characters a token, for the estimate in the statistics.
_CHARS_PER_TOKEN = {"html": 3.2, "markdown": 4.0, "text": 4.2, "outline": 3.5}


@dataclass(frozen=True, slots=True)
class Options:
    """How to filter a snapshot. ``budget`` ``None`` means each format's default, 0 no limit.

    ``main_only`` ``None`` means: yes for Markdown, no for the others.
    """

    format: tuple[str, ...] = ("html",)
    budget: int | None = None
    query: str | None = None
    main_only: bool | None = None
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    collapsed: Literal["keep", "drop"] = "keep"


@dataclass(frozen=True, slots=True)
class Judged:
    """A snapshot after the stages that do not depend on budget, query or format."""

    snapshot: Snapshot
    snapshot_id: str
    verdicts: Verdicts
    regions: Regions
    doc: Doc
    is_main: list[bool]
    timings_ms: dict[str, float]


def judged(snapshot: Snapshot, *, collapsed: Literal["keep", "drop"] = "keep") -> Judged:
    """Parse a snapshot and run visibility, regions and unit building."""
    clock = _Clock()
    tree = parse(snapshot.html)
    clock.lap("parse")
    verdicts = judge(tree, collapsed=collapsed)
    clock.lap("visibility")
    chars = visible_chars(tree, verdicts.state)
    meta = snapshot.meta
    regions = find_regions(tree, verdicts, chars, viewport=meta.viewport, url=meta.final_url)
    clock.lap("regions")
    base = snapshot.meta.final_url if len(snapshot.meta.final_url) <= MAX_BASE_CHARS else ""
    roots = {item.node: item.role for item in regions.items[1:]}
    doc = build(tree, verdicts.state, verdicts.reason, regions.role_of, roots, base)
    is_main = _main_nodes(tree, regions)
    clock.lap("units")
    return Judged(snapshot, snapshot.id, verdicts, regions, doc, is_main, clock.laps)


def filter_judged(page: Judged, options: Options) -> Page:
    """Fold and render one judged snapshot in every format asked for."""
    clock = _Clock(dict(page.timings_ms))
    doc = page.doc
    ranked = order(doc, page.is_main, options.query)
    clock.lap("order")
    content: dict[str, str] = {}
    budgets: dict[str, int] = {}
    folded = Folded([True] * doc.units, [])
    # Each selector is matched once, whatever the number of formats.
    included = _selected(page, options.include, "include")
    excluded = _selected(page, options.exclude, "exclude")
    frame = _frame(page, main_only=False, included=included, excluded=excluded)
    notices = _unmatched(options, included, excluded)
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
    return _page(page, options, content, budgets, folded, frame, notices, clock.laps)


def unfold_judged(page: Judged, ref: str, budget: int | None, name: str) -> str:
    """The units behind a ref, folded again if they do not fit."""
    first, last = resolve(page.doc, ref)
    scope = _units_of(page.doc, first, last)
    frame = _frame(page, main_only=False, scope=scope)
    ranked = order(page.doc, page.is_main)
    return _render(page, name, ranked, frame, budget)[0]


def _units_of(doc: Doc, first: int, last: int) -> range:
    touched = [
        unit
        for unit in range(doc.units)
        if doc.unit_start[unit] <= last and doc.unit_start[unit + 1] > first
    ]
    return range(touched[0], touched[-1] + 1)


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
        return render_outline(doc, page.regions, budget, title=meta.title), Folded([], [])
    shell = Shell(page.snapshot_id, meta.title, meta.lang, doc.base_url)
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


def _main_nodes(tree: Tree, regions: Regions) -> list[bool]:
    return [regions.is_main(node) for node in range(len(tree))]


def _frame(
    page: Judged,
    *,
    main_only: bool,
    included: Sequence[bool] | None = None,
    excluded: Sequence[bool] | None = None,
    scope: range | None = None,
) -> Frame:
    doc = page.doc
    rules, roles, parts = [], [], []
    for unit in range(doc.units):
        node = doc.run_node[doc.unit_start[unit]]
        part = page.regions.role_of[node]
        parts.append(part)
        roles.append(page.regions.items[part].role)
        if excluded is not None and excluded[node]:
            rules.append("excluded")
        elif included is not None and not included[node]:
            rules.append("not_included")
        else:
            rules.append("main_only" if main_only and not page.is_main[node] else "")
    return Frame(scope if scope is not None else range(doc.units), rules, roles, parts)


def _selected(page: Judged, selectors: Sequence[str], field: str) -> list[bool] | None:
    """Per node, whether a selector matches it or an element around it; ``None`` without a match."""
    if not selectors:
        return None
    parser = LexborHTMLParser(page.snapshot.html)
    chosen: set[int] = set()
    for selector in selectors:
        try:
            chosen |= {node.mem_id for node in parser.css(selector)}
        except Exception as error:  # selectolax raises its own and plain errors alike
            raise InvalidSelector(
                f"{field}: {selector!r} is no CSS selector", field=field
            ) from error
    if not chosen:
        return None
    tree, marks, index = page.doc.tree, [False] * len(page.doc.tree), -1
    elements = (
        (node for node in parser.root.traverse() if node.is_element_node) if parser.root else ()
    )
    nodes = [node for node in range(len(tree)) if tree.tag[node] != TEXT]
    for index, element in zip(nodes, elements, strict=True):
        if element.mem_id in chosen:
            marks[index : tree.end[index]] = [True] * (tree.end[index] - index)
    return marks


def _unmatched(
    options: Options, included: Sequence[bool] | None, excluded: Sequence[bool] | None
) -> list[Notice]:
    """What the caller must know about the options: selectors that matched nothing."""
    pairs = (("include", options.include, included), ("exclude", options.exclude, excluded))
    return [
        Notice("no_match", f"{field} matched nothing: {', '.join(selectors)}")
        for field, selectors, marks in pairs
        if selectors and marks is None
    ]


def _page(
    page: Judged,
    options: Options,
    content: dict[str, str],
    budgets: dict[str, int],
    folded: Folded,
    frame: Frame,
    notices: list[Notice],
    timings: dict[str, float],
) -> Page:
    doc, meta = page.doc, page.snapshot.meta
    total = sum(doc.unit_chars)
    ledger = _ledger(page, folded.markers)
    away = sum(entry.chars for entry in ledger if entry.ref)
    hidden = sum(chars for _, chars, _ in doc.hidden)
    if hidden:
        notices.append(
            Notice("hidden_text", f"{hidden} characters are hidden from people", len(doc.hidden))
        )
    return Page(
        url=meta.url,
        final_url=meta.final_url,
        redirects=meta.redirects,
        status=meta.status,
        content_type=meta.content_type,
        charset=meta.charset,
        title=meta.title,
        lang=meta.lang,
        captured_at=meta.captured_at,
        content={name: content[name] for name in options.format if name in content},
        regions=_regions(page),
        folds=tuple(
            Fold(m.ref, m.items, m.chars, m.what, frame.role[m.first], m.rule)
            for m in folded.markers
        ),
        ledger=ledger,
        links=links_of(doc, lambda run: _role(page, doc.run_node[run])),
        metadata=metadata_of(doc.tree, meta, doc.state) if "metadata" in options.format else {},
        warnings=(*meta.notices, *notices),
        wait=meta.wait,
        complete=meta.complete,
        incomplete_reason=meta.incomplete_reason,
        stats=Stats(
            raw_chars=meta.raw_chars,
            visible_chars=total,
            kept_chars=total - away,
            folded_chars=away,
            hidden_chars=hidden,
            output_chars={name: len(text) for name, text in content.items()},
            budget=budgets,
            tokens_estimate={
                n: round(len(t) / _CHARS_PER_TOKEN[n])
                for n, t in content.items()
                if n in _CHARS_PER_TOKEN
            },
            nodes=len(doc.tree),
            timings_ms={**meta.timings_ms, **timings},
        ),
        snapshot=page.snapshot,
        unseen=unseen_of(doc, page.regions, meta),
    )


def _role(page: Judged, node: int) -> str:
    return page.regions.items[page.regions.role_of[node]].role


def _ledger(page: Judged, markers: Sequence[Marker]) -> tuple[LedgerEntry, ...]:
    doc = page.doc
    entries = []
    for marker in markers:
        node = doc.run_node[doc.unit_start[marker.first]]
        entries.append(
            LedgerEntry(
                path_of(doc.tree, node),
                marker.chars,
                _role(page, node),
                marker.rule,
                "",
                marker.ref,
            )
        )
    for node, chars, reason in doc.hidden:
        entries.append(
            LedgerEntry(path_of(doc.tree, node), chars, _role(page, node), "hidden", reason)
        )
    for tag, chars in page.snapshot.meta.dropped.items():
        entries.append(LedgerEntry(tag, chars, "other", "element", tag))
    return tuple(entries)


def _regions(page: Judged) -> tuple[Region, ...]:
    doc, found = page.doc, []
    first_run: dict[int, int] = {}
    for item in page.regions.items[1:]:
        first_run[item.node] = -1
    nodes = doc.run_node
    for item in page.regions.items[1:]:
        low, high = _run_range(nodes, item.node, doc.tree.end[item.node])
        if low >= high:
            continue
        chars = sum(len(doc.run_text[run]) for run in range(low, high))
        found.append(
            Region(
                item.role,
                ref_of(doc, low, high - 1),
                chars,
                path_of(doc.tree, item.node),
                item.confidence,
                item.evidence,
            )
        )
    return tuple(found)


def _run_range(nodes: Sequence[int], start: int, stop: int) -> tuple[int, int]:
    return bisect_left(nodes, start), bisect_left(nodes, stop)


class _Clock:
    """Milliseconds by stage; read only for the statistics, never for a decision."""

    def __init__(self, laps: dict[str, float] | None = None) -> None:
        self.laps: dict[str, float] = laps if laps is not None else {}
        self._last = time.perf_counter()

    def lap(self, name: str) -> None:
        now = time.perf_counter()
        self.laps[name] = round((now - self._last) * 1000, 3)
        self._last = now
