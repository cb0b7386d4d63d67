"""What is held to floors: main content and answers on the development pages, visibility, and compaction."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from testbed import static_gold, visibility_gold
from testbed.compare import importers
from testbed.compare.pages import GoldPage, digest
from testbed.compare.run import Plan, Row, run
from testbed.compare.summary import Summary, by, lines, summarise
from testbed.conservation import SHARED
from testbed.floors.compaction import FEW_SIZES, SIZES, compaction
from testbed.floors.floor import Measured

Runs = tuple[tuple[str, tuple[int, ...]], ...]

#: Filter and budgets: the main content is read without a budget, answers within one.
_ALL_RUNS: Runs = (
    ("pagefold", (0,)),
    ("pagefold:html", (35_000, 10_000, 4_000)),
    ("pagefold:markdown", (10_000,)),
)
_FEW_RUNS: Runs = (("pagefold", (0,)), ("pagefold:html", (10_000,)))
#: Pages of a kind that say something about the kind.
_ENOUGH = 20
#: Pages of the sample, and offline pages that load fast, for tests.
_SAMPLE = 40
_QUICK_SITES = ("dropbox.com", "gentoo.org", "manjaro.org", "stripe.com", "vox.com", "walmart.com")

_WCXB = SHARED / "data" / "extraction" / "wcxb"
_OFFLINE = SHARED / "data" / "offline_pages"
_HISTORIES = SHARED / "data" / "trajectories"


class NoData(Exception):
    """The pages are not there; the message says where they were looked for."""


def measured(name: str, jobs: int = 1) -> Measured:
    """Measure one of ``SETS``.

    Raises:
        NoData: its pages are not there.
    """
    return SETS[name](jobs)


def _content(folder: Path, jobs: int) -> Measured:
    return content_scores(_pages(folder), jobs)


def _sample(jobs: int) -> Measured:
    """The same number of pages of each kind, evenly spread."""
    kinds: dict[str, list[GoldPage]] = {}
    for page in _pages(_WCXB):
        kinds.setdefault(page.kind, []).append(page)
    share = -(-_SAMPLE // len(kinds))
    chosen = [
        pages[number * len(pages) // share]
        for _, pages in sorted(kinds.items())
        for number in range(min(share, len(pages)))
    ]
    return content_scores(chosen, jobs, _FEW_RUNS)


def content_scores(pages: Sequence[GoldPage], jobs: int, runs: Runs = _ALL_RUNS) -> Measured:
    """Of the main content: word F1 (all, each kind, mean of kinds) and more; of answers: retention."""
    scores: dict[str, float] = {}
    for filter, budgets in runs:
        rows = run(pages, Plan((filter,), budgets, jobs=jobs))
        for (label, budget), group in lines(rows).items():
            if budget:
                form = label.partition(":")[2]
                scores |= dict(_of_answers(summarise(group), f"{form} {budget}"))
            else:
                scores |= dict(_of_content(group))
    return Measured(digest(pages)[:16], scores)


def _of_content(rows: Sequence[Row]) -> Iterator[tuple[str, float]]:
    found = summarise(rows)
    if f1 := found.shares.get("f1"):
        yield "word F1", f1.value
        for kind, group in by(rows, lambda row: row.kind).items():
            if len(group) < _ENOUGH or len(group) == len(rows):
                continue
            if each := summarise(group).shares.get("f1"):
                yield f"word F1, {kind}", each.value
    for name, value in (
        ("word F1, mean of kinds", found.macro_f1 if len({row.kind for row in rows}) > 1 else None),
        ("shingle F1", found.shingle_f1),
        ("snippet F1", found.snippet_f1),
    ):
        if value is not None:
            yield name, value
    if unwanted := found.shares.get("unwanted"):
        yield "unwanted kept out", 1 - unwanted.value


def _of_answers(found: Summary, name: str) -> Iterator[tuple[str, float]]:
    if retention := found.shares.get("retention"):
        yield f"retention, {name}", retention.value
    yield f"well formed, {name}", found.shares["well_formed"].value


def _static_visibility(jobs: int) -> Measured:
    scores = {}
    for linked, name in ((False, "own sheets"), (True, "linked sheets")):
        found = list(
            static_gold.scores(_there(_OFFLINE).parents[1], linked=linked, collapsed=False)
        )
        must, must_not = sum(each.must for each in found), sum(each.must_not for each in found)
        scores[f"visible kept, {name}"] = sum(each.kept for each in found) / must
        leaked = sum(each.let_through for each in found)
        scores[f"hidden kept out, {name}"] = 1 - leaked / must_not
    return Measured(_offline_digest(()), scores)


def _browser_visibility(sites: Sequence[str]) -> Callable[[int], Measured]:
    def measure(jobs: int) -> Measured:
        _there(_OFFLINE)
        rows = asyncio.run(visibility_gold.measured(sites))
        scores = {"pages read": sum(not row.error for row in rows) / len(rows)}
        for way, name in visibility_gold.WAYS.items():
            kept, leaked = visibility_gold.shares_of(rows, way)
            scores[f"visible kept, {name}"] = kept
            scores[f"hidden kept out, {name}"] = 1 - leaked
        return Measured(_offline_digest(sites), scores)

    return measure


def _offline_digest(sites: Sequence[str]) -> str:
    """Of the gold, and of the pages' own files."""
    found = hashlib.sha256((_OFFLINE / "gold_visible.jsonl").read_bytes())
    for page in sorted((_OFFLINE / "pages").glob("*/index.html")):
        if not sites or page.parent.name in sites:
            found.update(page.parent.name.encode() + hashlib.sha256(page.read_bytes()).digest())
    return found.hexdigest()[:16]


def _pages(folder: Path) -> list[GoldPage]:
    return importers.read(_there(folder))


def _there(folder: Path) -> Path:
    if not folder.is_dir():
        raise NoData(f"no pages under {folder}; PAGEFOLD_SHARED names the folder of the data")
    return folder


#: What can be measured, by name; those that end in "sample" are small enough for every test run.
SETS: dict[str, Callable[[int], Measured]] = {
    "content sample": _sample,
    "wcxb": lambda jobs: _content(_WCXB, jobs),
    "scrapinghub": lambda jobs: _content(_WCXB.with_name("scrapinghub_articles"), jobs),
    "trafilatura": lambda jobs: _content(_WCXB.with_name("trafilatura_eval"), jobs),
    "visibility without a browser": _static_visibility,
    "visibility sample": _browser_visibility(_QUICK_SITES),
    "visibility": _browser_visibility(()),
    "compaction sample": lambda jobs: compaction(_there(_HISTORIES), FEW_SIZES, histories=1),
    "compaction": lambda jobs: compaction(_there(_HISTORIES), SIZES),
}

#: Sets whose scores move with little: a browser reads them, or they are small.
UNSTEADY = ("content sample", "visibility sample", "visibility")
