"""Our own filter, without some of its stages, and what stands below any filter."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from extractor.filters import all_visible, one_region
from extractor.judged import Clock
from extractor.pipeline import Judged, Options, filter_judged, judged
from extractor.quarantine import quarantined
from extractor.regions import find_regions
from extractor.snapshot import Snapshot
from extractor.static import snapshot_from_bytes
from extractor.tree import parse
from extractor.units import build, visible_chars
from extractor.visibility import judge
from testbed.compare.source import Form, Source

Run = Callable[[Source, Form, int], str]

_MARKS = {
    "html": re.compile(r"<pf-fold [^>]*></pf-fold>"),
    "text": re.compile(r"\[folded f[0-9a-z]+(?:-[0-9a-z]+)?: [^\n]*?\](?=\s|$)"),
    "markdown": re.compile(r"\[folded f[0-9a-z]+(?:-[0-9a-z]+)?: [^\n]*?\](?=\s|$)"),
}
#: Descriptions of pictures in plain text: of HTML and Markdown, ours and others', they are not read either.
_PICTURES = re.compile(r"\[image: [^\n\]]*\]")


def raw(source: Source, form: Form, budget: int) -> str:
    """The source as it came."""
    return source.html


def visible(source: Source, form: Form, budget: int) -> str:
    """All that can be seen, in the page's order."""
    return written(judged(snapshot_of(source), filter="visible"), form, budget, filter="visible")


def pagefold(source: Source, form: Form, budget: int) -> str:
    """Everything on: without a budget the main content, within one the page folded into it."""
    return written(judged(snapshot_of(source)), form, budget)


def by_hand(source: Source, form: Form, budget: int) -> str:
    """The rules alone, without what was learned."""
    return written(judged(snapshot_of(source), weights=None), form, budget)


def _no_visibility(source: Source, form: Form, budget: int) -> str:
    return written(_judged_without(source, visibility=False), form, budget)


def _no_regions(source: Source, form: Form, budget: int) -> str:
    return written(_judged_without(source, regions=False), form, budget)


def _no_order(source: Source, form: Form, budget: int) -> str:
    options = Options((form,), fold="head_tail")
    return written(judged(snapshot_of(source)), form, budget, options=options)


ABLATIONS: dict[str, Run] = {
    "pagefold-no-visibility": _no_visibility,
    "pagefold-by-hand": by_hand,
    "pagefold-no-regions": _no_regions,
    "pagefold-no-order": _no_order,
}


def written(
    page: Judged,
    form: Form,
    budget: int,
    *,
    options: Options | None = None,
    filter: str = "pagefold",
) -> str:
    """A judged page in a form; without a budget its main content alone."""
    options = replace(options or Options((form,)), budget=budget, filter=filter, unfold=False)
    if not budget:
        options = replace(options, main_only=True)
    output = _MARKS[form].sub("", filter_judged(page, options).content[form])
    return _PICTURES.sub("", output) if form == "text" else output


def snapshot_of(source: Source) -> Snapshot:
    """The page as the static path captures it."""
    return snapshot_from_bytes(
        source.body, url=source.url or "https://page.invalid/", content_type="text/html"
    )


def _judged_without(source: Source, *, visibility: bool = True, regions: bool = True) -> Judged:
    snapshot, clock = snapshot_of(source), Clock()
    tree, meta = parse(snapshot.html), snapshot.meta
    tree, hidden = quarantined(tree, judge(tree) if visibility else all_visible(tree))
    verdicts = judge(tree) if visibility else all_visible(tree)
    chars = visible_chars(tree, verdicts.state)
    found = (
        find_regions(tree, verdicts, chars, viewport=meta.viewport, url=meta.final_url)
        if regions
        else one_region(tree)
    )
    roots = {item.node: item.role for item in found.items[1:]}
    doc = build(
        tree, verdicts.state, found.role_of, roots, meta.final_url, hidden=hidden, chars=chars
    )
    html, name = snapshot.html, snapshot.id
    return Judged(snapshot, html, name, meta.title, verdicts, found, doc, clock.laps)
