"""The order of the pipeline, in one place.

snapshot → (filter) → visibility → quarantine → regions → units → order → fold → render → result

Everything here is pure: the same snapshot and options give the same page.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence
from dataclasses import replace

from extractor.filters import OURS, all_visible, one_region, source_for, visible_html
from extractor.frame import frame_of, parted
from extractor.head_tail import head_tail
from extractor.judged import Clock, Collapsed, Judged, Options
from extractor.markers import Folded
from extractor.order import order
from extractor.page import Page, PageVariant, Span
from extractor.quarantine import quarantined
from extractor.regions import Regions, find_regions
from extractor.regions.continued import continued
from extractor.regions.learned.weights import Weights, shipped
from extractor.render.addresses import shell_base
from extractor.render.formats import Output, write
from extractor.request import PICTURES
from extractor.result import Rendered, page_of
from extractor.selectors import selected, unmatched
from extractor.serialise import serialise
from extractor.snapshot import Snapshot, SnapshotMeta
from extractor.tree import Tree
from extractor.unhide import unhidden
from extractor.unicode_tricks import strip_tricks
from extractor.units import Hidden, build, cut_at, visible_chars
from extractor.variants import compared, words_of
from extractor.visibility import SR_ONLY_CHARS, Verdicts, judge

__all__ = ["Judged", "Options", "filter_judged", "filtered", "judged"]

DEFAULT_BUDGETS = {"html": 35_000, "markdown": 35_000, "text": 10_000, "outline": 800}


def filtered(snapshot: Snapshot, options: Options) -> Page:
    """A snapshot through all stages, with its variants."""
    page = filter_judged(_judged(snapshot, options, options.filter), options)
    if not options.variants:
        return page
    return replace(page, variants=_variants(snapshot, options, page))


def _judged(snapshot: Snapshot, options: Options, filter: str) -> Judged:
    return judged_once(
        snapshot,
        collapsed=options.collapsed,
        filter=filter,
        sr_only_chars=options.sr_only_chars,
        include_hidden=options.include_hidden,
    )


def judged_once(
    snapshot: Snapshot,
    *,
    collapsed: Collapsed = "keep",
    filter: str = OURS,
    sr_only_chars: int = SR_ONLY_CHARS,
    include_hidden: bool = False,
) -> Judged:
    """As ``judged``, and kept with the snapshot: what is asked of it again need not be worked out again.

    Then no time is spent on these stages, and none is reported.
    """

    def make() -> Judged:
        page = judged(
            snapshot,
            collapsed=collapsed,
            filter=filter,
            sr_only_chars=sr_only_chars,
            include_hidden=include_hidden,
        )
        return replace(page, snapshot=replace(snapshot, built=None))

    found, again = snapshot.once((collapsed, filter, sr_only_chars, include_hidden), make)
    return replace(found, timings_ms={}) if again else found


def judged(
    snapshot: Snapshot,
    *,
    collapsed: Collapsed = "keep",
    filter: str = OURS,
    sr_only_chars: int = SR_ONLY_CHARS,
    include_hidden: bool = False,
    weights: Callable[[], Weights] | None = shipped,
) -> Judged:
    """Parse a snapshot and run visibility, regions and unit building.

    Args:
        weights: gives what was learned about main content; ``None`` leaves it to the rules by hand.

    Raises:
        InvalidRequest: there is no such filter.
    """
    clock = Clock()

    def verdicts_of(tree: Tree) -> Verdicts:
        return judge(tree, collapsed=collapsed, sr_only_chars=sr_only_chars)

    def visible() -> str:
        tree = snapshot.tree()
        return visible_html(tree, verdicts_of(tree))

    source = source_for(filter, snapshot, visible)
    tree = source.tree()
    clock.lap("parse")
    verdicts = all_visible(tree) if filter == "raw" else verdicts_of(tree)
    shown, html = list[Hidden](), source.html
    if include_hidden:
        tree, verdicts, shown = unhidden(tree, verdicts)
        html = serialise(tree)
    tree, hidden = quarantined(tree, verdicts)
    hidden = sorted([*hidden, *shown], key=lambda item: item.node)
    clock.lap("visibility")
    meta, chars = snapshot.meta, visible_chars(tree, verdicts.state)
    ours = filter == OURS
    learned = weights() if weights and ours else None
    regions = _regions(tree, verdicts, chars, meta, learned) if ours else one_region(tree)
    regions = continued(tree, regions)
    clock.lap("regions")
    base = shell_base(meta.final_url)
    roots = {item.node: item.role for item in regions.items[1:]}
    doc = build(tree, verdicts.state, regions.role_of, roots, base, hidden=hidden, chars=chars)
    doc = cut_at(doc, regions.main)  # an item or a row may hold what is main and what is not
    clock.lap("units")
    title = strip_tricks(meta.title).text
    return Judged(snapshot, html, snapshot.id, title, verdicts, regions, doc, clock.laps)


def _regions(
    tree: Tree,
    verdicts: Verdicts,
    chars: Sequence[int],
    meta: SnapshotMeta,
    weights: Weights | None,
) -> Regions:
    return find_regions(
        tree,
        verdicts,
        chars,
        viewport=meta.viewport,
        url=meta.final_url,
        json_ld=meta.json_ld,
        weights=weights,
    )


def filter_judged(page: Judged, options: Options) -> Page:
    """Fold and render one judged snapshot in every format asked for."""
    clock = Clock(dict(page.timings_ms))
    included = selected(page.html, page.doc.tree, options.include, field="include")
    excluded = selected(page.html, page.doc.tree, options.exclude, field="exclude")
    page = parted(page, included, excluded)
    doc = page.doc
    ranked = ranked_units(page, options)
    clock.lap("order")
    content: dict[str, str] = {}
    budgets: dict[str, int] = {}
    provenance: dict[str, tuple[Span, ...]] = {}
    markup, left_out = dict[str, str](), dict[str, int]()
    folded = Folded([True] * doc.units, [])
    frame = frame_of(page, main_only=False, included=included, excluded=excluded)
    for name in reversed(options.format):
        if name in ("links", "metadata", *PICTURES):
            continue
        budgets[name] = DEFAULT_BUDGETS[name] if options.budget is None else options.budget
        main_only = name == "markdown" if options.main_only is None else options.main_only
        frame = frame_of(page, main_only=main_only, included=included, excluded=excluded)
        output = write(page, Output(name, budgets[name] or None, options), ranked, frame)
        content[name], folded, provenance[name] = output.text, output.folded, output.spans
        if output.markup:
            markup[name], left_out[name] = output.markup, output.left_out
        clock.lap(f"render_{name}")
    for name, picture in page.snapshot.pictures.items():
        if name in options.format:
            content[name] = base64.b64encode(picture).decode("ascii")
    notices = [
        *unmatched("include", options.include, included),
        *unmatched("exclude", options.exclude, excluded),
    ]
    rendered = Rendered(content, budgets, folded, frame, notices, provenance, markup, left_out)
    return page_of(page, options, rendered, clock.laps)


def ranked_units(page: Judged, options: Options) -> list[int]:
    """The order of value, or from both ends inwards where the caller or another filter wants that."""
    if options.fold == "head_tail":
        return head_tail(page.doc.unit_chars)
    if options.filter != OURS and not options.query:
        return list(range(page.doc.units))
    # For the last question only: they are many, and a page that is folded again mostly has the same.
    known = page.doc.once("order", lambda _: dict[str | None, list[int]]())
    found = known.get(options.query)
    if found is None:
        found = order(page.doc, page.regions.main, options.query)
        known.clear()
        known[options.query] = found
    return found


def _variants(snapshot: Snapshot, options: Options, page: Page) -> tuple[PageVariant, ...]:
    name, text = next(iter(page.content.items()), ("text", ""))
    first, stages = words_of(text, name), dict[str, Judged]()
    found: list[PageVariant] = []
    for variant in options.variants:
        if variant.filter not in stages:
            stages[variant.filter] = _judged(snapshot, options, variant.filter)
        result = filter_judged(stages[variant.filter], variant)
        [(form, content)] = result.content.items()
        settings = form, variant.filter, result.stats.budget[form]
        found.append(compared(first, content, settings, result.stats.kept_chars))
    return tuple(found)
