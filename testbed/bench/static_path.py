"""Work in Python: the stages after a capture beside the parser alone, and the static path beside others."""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from selectolax.lexbor import LexborHTMLParser

from extractor.encoding import decode
from extractor.pipeline import Options, filtered
from extractor.snapshot import Snapshot
from extractor.static import snapshot_from_bytes
from testbed.bench.row import Figure, Pairs, Row, single
from testbed.compare import importers
from testbed.compare.filters import Chosen, choose, plain_text
from testbed.compare.metrics import agreement
from testbed.compare.pages import GoldPage
from testbed.compare.source import Source
from testbed.scaling import SHAPES

SIZES = (1_000, 10_000, 50_000, 200_000)
PEERS = ("trafilatura", "resiliparse")
_BUDGET = 35_000


def stages_row(rounds: int, sizes: Sequence[int] = SIZES) -> Row:
    """From a snapshot to the answer, in units of lexbor's parse of the same snapshot; and its growth."""
    figures: list[Figure] = []
    grown: list[list[float]] = []
    for size in sizes:
        body = SHAPES["article"](size).encode()
        snapshot = snapshot_from_bytes(body, url="https://example.org/", content_type="text/html")
        pairs = Pairs(f"CPU ms, {size:,} nodes", 6.0)
        for number in range(rounds + 1):
            parse, stages = _both_ms(snapshot)
            if number:
                pairs.add(stages, parse)
        figures.append(pairs.figure())
        grown.append(pairs.ours)
    for small, large in zip(range(len(sizes)), range(1, len(sizes)), strict=False):
        step = math.log(sizes[large] / sizes[small])
        slopes = [math.log(b / a) / step for a, b in zip(grown[small], grown[large], strict=True)]
        what = f"exponent of growth, {sizes[small]:,} to {sizes[large]:,} nodes"
        figures.append(single(what, slopes, 1.1))
    return Row("stages in Python after the capture", "lexbor's parse", tuple(figures))


def real_stages_row(pages: Sequence[GoldPage], rounds: int) -> Row:
    """The same over snapshots of real pages, all of them a round."""
    snapshots: list[Snapshot] = [
        snapshot_from_bytes(
            page.body, url=page.url or "https://page.invalid/", content_type="text/html"
        )
        for page in pages
    ]
    pairs = Pairs("CPU ms a page", 6.0)
    for number in range(rounds + 1):
        parse = stages = 0.0
        for snapshot in snapshots:
            one, other = _both_ms(snapshot)
            parse, stages = parse + one, stages + other
        if number:
            pairs.add(stages / len(pages), parse / len(pages))
    return Row(
        "stages in Python, real pages",
        "lexbor's parse",
        (pairs.figure(),),
        (f"{len(pages)} pages",),
    )


def peers_rows(pages: Sequence[GoldPage], rounds: int) -> list[Row]:
    """Bytes to main content as text, beside what gives comparable quality; its quality stands beside it."""
    chosen, absent = choose(("pagefold", *PEERS))
    runs = {each.label: (each, each.filter.load()) for each in chosen}
    sources = [Source(page.body, decode(page.body, "text/html").text, page.url) for page in pages]
    spent: dict[str, list[float]] = {label: [] for label in runs}
    f1 = {label: _f1(each, run, pages, sources) for label, (each, run) in runs.items()}
    for _ in range(rounds):
        totals = dict.fromkeys(runs, 0.0)
        for source in sources:
            for label, (each, run) in runs.items():
                totals[label] += _cpu_ms(partial(run, source, each.form, 0))
        for label, total in totals.items():
            spent[label].append(total / len(pages))
    rows = []
    for name in PEERS:
        title = f"static path against {name}"
        if name in absent:
            rows.append(Row(title, name, skipped=absent[name]))
            continue
        goal = 5.0 if name == "trafilatura" else 1.0
        pairs = Pairs("CPU ms a page", goal, at_least=True, theirs_over_ours=True)
        for ours, theirs in zip(spent["pagefold"], spent[name], strict=True):
            pairs.add(ours, theirs)
        quality = f"word F1 {f1['pagefold']:.3f} against {f1[name]:.3f} (ours has seen them)"
        remark = f"{quality}, {len(pages)} pages"
        rows.append(Row(title, name, (pairs.figure(),), (remark,)))
    return rows


def sample(folder: Path, count: int) -> list[GoldPage]:
    """So many pages with a gold text, evenly spread; none where there is no data."""
    if not folder.is_dir():
        return []
    pages = [page for page in importers.read(folder) if page.gold.text]
    return [pages[number * len(pages) // count] for number in range(min(count, len(pages)))]


def _f1(
    chosen: Chosen,
    run: Callable[..., str],
    pages: Sequence[GoldPage],
    sources: Sequence[Source],
) -> float:
    scores = (
        agreement(page.gold, plain_text(run(source, chosen.form, 0), chosen.form)).f1
        for page, source in zip(pages, sources, strict=True)
    )
    return statistics.fmean(score or 0.0 for score in scores)


def _both_ms(snapshot: Snapshot) -> tuple[float, float]:
    """The parser alone, then every stage, of a snapshot in which nothing was found before."""
    parse = _cpu_ms(partial(LexborHTMLParser, snapshot.html))
    return parse, _cpu_ms(partial(filtered, replace(snapshot), Options(("html",), _BUDGET)))


def _cpu_ms(call: Callable[[], object]) -> float:
    before = time.process_time()
    call()
    return (time.process_time() - before) * 1000
