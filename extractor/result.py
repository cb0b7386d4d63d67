"""Put the result together from what the stages found."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate
from typing import cast

from extractor.judged import Judged, Options
from extractor.ledger import Ledger, hidden_notices
from extractor.markers import Folded, Frame
from extractor.page import Fold, HiddenText, LedgerEntry, Page, Region, Span, Stats
from extractor.quarantine import clean_record
from extractor.refs import ref_of
from extractor.render.links import links_of
from extractor.render.lookalikes import imitations
from extractor.render.metadata import metadata_of
from extractor.snapshot import Notice
from extractor.unseen import unseen_of

#: Characters a token, for the estimate in the statistics.
_CHARS_PER_TOKEN = {"html": 3.2, "markdown": 4.0, "text": 4.2, "outline": 3.5}


@dataclass(frozen=True, slots=True)
class Rendered:
    """What folding and rendering gave: each format's content and budget, and the first one's folds."""

    content: dict[str, str]
    budgets: dict[str, int]
    folded: Folded
    frame: Frame
    notices: list[Notice] = field(default_factory=list)
    provenance: dict[str, tuple[Span, ...]] = field(default_factory=dict)
    markup: dict[str, str] = field(default_factory=dict)
    markup_left_out: dict[str, int] = field(default_factory=dict)


def page_of(page: Judged, options: Options, rendered: Rendered, timings: dict[str, float]) -> Page:
    """The page with its map, notices and sizes."""
    doc, meta = page.doc, page.snapshot.meta
    ledger = Ledger(doc, page.regions, meta.dropped)
    entries, hidden = ledger.entries(rendered.folded.markers), ledger.hidden()
    metadata = metadata_of(doc.tree, meta, doc.state) if "metadata" in options.format else {}
    content = rendered.content
    return Page(
        url=meta.url,
        final_url=meta.final_url,
        redirects=meta.redirects,
        status=meta.status,
        content_type=meta.content_type,
        charset=meta.charset,
        title=page.title,
        lang=meta.lang,
        captured_at=meta.captured_at,
        content={name: content[name] for name in options.format if name in content},
        regions=_regions(page, ledger, explain=options.explain),
        folds=tuple(
            Fold(m.ref, m.items, m.chars, m.what, rendered.frame.role[m.first], m.rule)
            for m in rendered.folded.markers
        ),
        ledger=entries,
        links=doc.once(
            links_of, lambda _: links_of(doc, lambda run: ledger.role(doc.run_node[run]))
        ),
        metadata=cast("dict[str, object]", clean_record(metadata)),
        warnings=(
            *meta.notices,
            *rendered.notices,
            *hidden_notices(hidden),
            *doc.once(imitations, lambda _: tuple(imitations(doc.run_text))),
            *_unkept(options),
        ),
        wait=meta.wait,
        complete=meta.complete,
        incomplete_reason=meta.incomplete_reason,
        stats=_stats(page, rendered, entries, hidden, timings),
        snapshot=replace(page.snapshot, built=None),
        unseen=doc.once(unseen_of, lambda _: unseen_of(doc, page.regions, meta)),
        hidden=hidden,
        provenance=rendered.provenance if options.provenance else {},
        stored=options.unfold,
    )


def _unkept(options: Options) -> list[Notice]:
    if options.refs_resolve:
        return []
    why = "nothing was stored"
    if options.unfold:
        hidden = "they name a document with hidden text in it"
        why = hidden if options.include_hidden else f"they are of the filter {options.filter}"
    return [Notice("not_kept", f"refs cannot be unfolded: {why}")]


def _stats(
    page: Judged,
    rendered: Rendered,
    entries: Sequence[LedgerEntry],
    hidden: Sequence[HiddenText],
    timings: dict[str, float],
) -> Stats:
    meta, content = page.snapshot.meta, rendered.content
    total = sum(page.doc.unit_chars)
    away = sum(entry.chars for entry in entries if entry.ref)
    return Stats(
        raw_chars=meta.raw_chars,
        visible_chars=total,
        kept_chars=total - away,
        folded_chars=away,
        hidden_chars=sum(item.chars for item in hidden),
        output_chars={name: len(text) for name, text in content.items()},
        budget=rendered.budgets,
        tokens_estimate={
            name: round(len(text) / _CHARS_PER_TOKEN[name])
            for name, text in content.items()
            if name in _CHARS_PER_TOKEN
        },
        nodes=len(page.doc.tree),
        markup=rendered.markup,
        markup_left_out=rendered.markup_left_out,
        timings_ms={**meta.timings_ms, **timings},
    )


def _regions(page: Judged, ledger: Ledger, *, explain: bool) -> tuple[Region, ...]:
    doc, found = page.doc, list[Region]()
    sums = [0, *accumulate(map(doc.run_chars, range(len(doc.run_text))))]
    grounds = page.regions.grounds
    for number, item in enumerate(page.regions.items[1:], start=1):
        low = bisect_left(doc.run_node, item.node)
        high = bisect_left(doc.run_node, doc.tree.end[item.node])
        if low < high:
            ref, path = ref_of(doc, low, high - 1), ledger.paths.of(item.node)
            chars = sums[high] - sums[low]
            evidence = item.evidence if explain else ()
            if explain and grounds is not None:
                evidence += grounds.of(number)
            found.append(Region(item.role, ref, chars, path, item.confidence, evidence))
    return tuple(found)
