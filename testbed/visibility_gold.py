"""How well visible text is told from hidden text on real pages with their style sheets.

``python -m testbed.visibility_gold [SITE …]`` serves each page of ``offline_pages`` on loopback, captures it,
and compares with what a browser was seen to show: ``must`` strings that were kept and ``must_not`` strings
that were let through. Each page is captured once and counted in three ways: with ``collapsed=drop`` and
labels for screen readers as no text; the same, but without what is scrolled out of a box or cut short (other
slides of a strip, the rest of a text), which ``drop`` keeps and the gold counts as shown; and by the
defaults, which keep closed parts and labels too. ``--way`` chooses the one in the table, ``--misses`` shows
the strings that differ, with the reason for which each was left out.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import os
import re
import statistics
import tempfile
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path
from typing import Literal

import structlog

from extractor import Extractor, ExtractorSettings, Page, PageRequest, filter_snapshot
from extractor.errors import ExtractorError
from extractor.request import Viewport
from extractor.tree import TEXT, Tree, parse
from extractor.visibility import HIDDEN, IN_PART, judge
from testbed.real_pages import served

_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Gold:
    """What a browser showed of one page, and what it did not (with the reason)."""

    site: str
    must: tuple[str, ...]
    must_not: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Misses:
    """Strings of one page that were lost (with the reason for which each was left out), and that were let
    through (with the reason for which the gold calls them hidden)."""

    lost: tuple[tuple[str, str], ...] = ()
    leaked: tuple[tuple[str, str], ...] = ()


Way = Literal["drop", "in_view", "defaults"]
#: How each way of counting is called in what is printed.
WAYS: dict[Way, str] = {
    "drop": "closed parts and labels hidden",
    "in_view": "the same, what is scrolled out of a box or cut short hidden too",
    "defaults": "defaults",
}


@dataclass(frozen=True, slots=True)
class Row:
    """One page. ``share`` is the output at the default budget over the raw characters, ``whole`` the output
    without a budget over the same; ``incomplete`` says which limit ended the capture, if one did."""

    gold: Gold
    misses: dict[Way, Misses] = field(default_factory=dict)
    share: float = 0.0
    whole: float = 0.0
    incomplete: str = ""
    error: str = ""


def folder() -> Path:
    """Where the pages lie: ``PAGEFOLD_SHARED``, or ``shared`` beside the checkout."""
    beside = Path(__file__).resolve().parents[2] / "shared"
    return Path(os.environ.get("PAGEFOLD_SHARED", beside)) / "data" / "offline_pages"


def load_gold(path: Path) -> Iterator[Gold]:
    """Read ``gold_visible.jsonl``."""
    for line in path.read_text("utf-8").splitlines():
        record = json.loads(line)
        pairs = tuple((str(text), str(why)) for text, why in record["must_not"])
        yield Gold(record["id"], tuple(record["must"]), pairs)


def why_hidden(tree: Tree, way: Way) -> list[str]:
    """For each node why its text is left out by that way of counting; empty where it is not."""
    verdicts = judge(tree, collapsed="keep")
    found = [""] * len(tree)
    for node in range(1, len(tree)):
        attrs, above = tree.attrs[node] or {}, found[tree.parent[node]]
        if verdicts.state[node] == HIDDEN:
            found[node] = verdicts.reason[node]
        elif way == "defaults":
            continue
        elif above:
            found[node] = above
        elif "sr_only" in attrs.get("data-pf-l", "").split():
            found[node] = "label"
        elif (kind := attrs.get("data-pf-c")) and (way == "in_view" or kind not in IN_PART):
            found[node] = f"collapsed ({kind})"
    return found


def compare(gold: Gold, page: Page) -> Row:
    """What of one page's gold does not hold."""
    tree, raw = parse(page.snapshot.html), max(1, page.stats.raw_chars)
    whole = filter_snapshot(page.snapshot, budget=0).content["html"]
    meta = page.snapshot.meta
    return Row(
        gold,
        {way: _misses(gold, tree, why_hidden(tree, way)) for way in WAYS},
        page.stats.output_chars["html"] / raw,
        len(whole) / raw,
        "" if meta.complete else str(meta.incomplete_reason),
    )


def _misses(gold: Gold, tree: Tree, why: Sequence[str]) -> Misses:
    """Texts are compared without white space, which is drawn in too many ways."""
    # The title stands in no page: a heading that is hidden and says the same is hidden all the same.
    texts = [
        node
        for node in range(1, len(tree))
        if tree.tag[node] == TEXT and tree.tag[tree.parent[node]] != "title"
    ]
    shown = "".join(_SPACE.sub("", tree.text[node]) for node in texts if not why[node])
    lost = tuple(
        (must, _reason(tree, texts, why, must))
        for must in gold.must
        if _SPACE.sub("", must) not in shown
    )
    leaked = tuple(pair for pair in gold.must_not if _SPACE.sub("", pair[0]) in shown)
    return Misses(lost, leaked)


def _reason(tree: Tree, texts: Sequence[int], why: Sequence[str], must: str) -> str:
    """Why a string is not all there: of the nodes that say it, those that are left out."""
    pieces = [_SPACE.sub("", tree.text[node]) for node in texts]
    ends = list(accumulate(map(len, pieces)))
    start = "".join(pieces).find(wanted := _SPACE.sub("", must))
    if start < 0:
        return "not in the snapshot"
    first, last = bisect_right(ends, start), bisect_left(ends, start + len(wanted))
    return ", ".join(sorted({why[node] for node in texts[first : last + 1]} - {""}))


async def run(golds: Sequence[Gold]) -> AsyncIterator[Row]:
    """Capture every page in one browser, one at a time, and compare."""
    with tempfile.TemporaryDirectory(prefix="pagefold-") as data, ExitStack() as stack:
        ports = [stack.enter_context(served(folder() / "pages" / gold.site)) for gold in golds]
        allow = tuple(f"127.0.0.1:{port}" for port in ports)
        # Only these pages can be reached: what they want from other hosts they do not get.
        settings = ExtractorSettings(
            allow_hosts=allow, data_dir=Path(data), allow_ports=(), allow_high_ports=False
        )
        async with Extractor(settings) as extractor:
            for gold, port in zip(golds, ports, strict=True):
                request = PageRequest(
                    url=f"http://127.0.0.1:{port}/index.html",
                    viewport=Viewport(width=1280, height=900),
                )
                try:
                    page = await extractor.extract(request)
                except ExtractorError as error:
                    yield Row(gold, error=error.code)
                    continue
                yield await asyncio.to_thread(compare, gold, page)


def line_of(row: Row, way: Way = "drop") -> str:
    """One page as a line of a Markdown table."""
    if row.error:
        return f"| {row.gold.site} | error {row.error} | | | |"
    found = row.misses[way]
    kept = f"{len(row.gold.must) - len(found.lost)}/{len(row.gold.must)}"
    leaked = f"{len(found.leaked)}/{len(row.gold.must_not)}"
    return f"| {row.gold.site} | {kept} | {leaked} | {row.share:.3f} | {row.whole:.3f} |"


def shares_of(rows: Sequence[Row], way: Way) -> tuple[float, float]:
    """Of all strings of all pages: the share of visible ones kept, of hidden ones let through."""
    good = [row for row in rows if not row.error]
    must = sum(len(row.gold.must) for row in good)
    must_not = sum(len(row.gold.must_not) for row in good)
    lost = sum(len(row.misses[way].lost) for row in good)
    leaked = sum(len(row.misses[way].leaked) for row in good)
    return 1 - lost / max(1, must), leaked / max(1, must_not)


def total_of(rows: Sequence[Row]) -> str:
    """Shares over all strings of all pages, each way, with the reasons; and sizes."""
    good = [row for row in rows if not row.error]
    lines = [f"{len(good)} pages of {len(rows)}"]
    for way, name in WAYS.items():
        kept, leaked = shares_of(rows, way)
        lines.append(f"{name}: visible kept {kept:.4f}, hidden let through {leaked:.4f}")
        why = Counter(
            reason + (f" ({row.incomplete})" if reason == "not in the snapshot" else "")
            for row in good
            for _, reason in row.misses[way].lost
        )
        lines.append(
            "    lost: " + ", ".join(f"{count} {name}" for name, count in why.most_common())
        )
    share, whole = (
        statistics.median(getattr(row, name) for row in good) if good else 0.0
        for name in ("share", "whole")
    )
    lines.append(f"median output/raw: {share:.3f} at the default budget, {whole:.3f} without one")
    return "\n".join(lines)


async def measured(sites: Sequence[str] = ()) -> list[Row]:
    """Rows of the pages named, or of all.

    Raises:
        OSError: the gold is not there.
    """
    golds = load_gold(folder() / "gold_visible.jsonl")
    return [row async for row in run([g for g in golds if not sites or g.site in sites])]


async def _main(given: argparse.Namespace) -> list[Row]:
    golds = list(load_gold(folder() / "gold_visible.jsonl"))
    rows = []
    print(
        "| page | visible kept | hidden let through | output/raw | whole/raw |\n|---|---|---|---|---|"
    )
    async for row in run([gold for gold in golds if not given.sites or gold.site in given.sites]):
        rows.append(row)
        print(line_of(row, given.way), flush=True)
        if given.misses and not row.error:
            for text, why in row.misses[given.way].lost:
                print(f"    lost ({why}): {text[:150]}")
            for text, why in row.misses[given.way].leaked:
                print(f"    let through ({why}): {text[:150]}")
    return rows


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table and the totals; 1 when a page could not be captured."""
    parser = argparse.ArgumentParser(prog="python -m testbed.visibility_gold", description=__doc__)
    parser.add_argument("sites", nargs="*", help="names of pages (default: all)")
    parser.add_argument("--way", choices=WAYS, default="drop", help="of counting, in the table")
    parser.add_argument("--misses", action="store_true", help="print the strings that differ")
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    rows = asyncio.run(_main(parser.parse_args(arguments)))
    print(total_of(rows))
    return 1 if any(row.error for row in rows) else 0


if __name__ == "__main__":
    raise SystemExit(main())
