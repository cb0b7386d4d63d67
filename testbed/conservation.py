"""The fold's guarantees over real pages: nothing over budget, nothing lost, every output well formed.

``python -m testbed.conservation`` runs the static path over every page under the data folder
(``PAGEFOLD_SHARED``, or ``../shared`` beside the checkout), at three budgets in three formats, without a
network, and prints the counts; 1 when anything failed.
"""

from __future__ import annotations

import argparse
import gzip
import os
import statistics
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from selectolax.lexbor import LexborHTMLParser

from extractor.encoding import decode
from extractor.page import Page
from extractor.pipeline import Judged, Options, filter_judged, judged
from extractor.static import snapshot_from_bytes
from extractor.unfold import unfold_judged
from testbed.guarantees import (
    StuckUnfold,
    agrees_with_second_parser,
    is_fixpoint,
    put_back,
    sums_are_exact,
    text_of,
    visible_text_of,
)

BUDGETS = (35_000, 10_000, 2_000)
FORMATS = ("html", "markdown", "text")
SHARED = Path(os.environ.get("PAGEFOLD_SHARED", Path(__file__).parents[2] / "shared"))
KINDS = ("crash", "over_budget", "fixpoint", "second_parser", "lost_text", "stuck_unfold", "ledger")
#: Budget of each unfolding when it is done step by step.
_STEP = 8_000


@dataclass(frozen=True, slots=True)
class Checked:
    """One page: how many outputs were made, what failed (``kind: where``), and milliseconds."""

    name: str
    outputs: int = 0
    failed: tuple[str, ...] = ()
    parse_ms: float = 0.0
    static_ms: float = 0.0
    answer_ms: float = 0.0


@dataclass(slots=True)
class Tally:
    """Sums over pages."""

    pages: int = 0
    outputs: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    checked: list[Checked] = field(default_factory=list)

    def add(self, page: Checked) -> None:
        """Count one page."""
        self.pages += 1
        self.outputs += page.outputs
        self.kinds.update(name.split(":")[0] for name in page.failed)
        self.checked.append(page)


def pages_under(root: Path, folder: str | None, limit: int | None) -> list[Path]:
    """Pages of the data sets, those of every set spread evenly over the list."""
    found = sorted(root.glob(f"data/extraction/{folder or '*'}/pages/*.html.gz"))
    if limit is None or limit >= len(found):
        return found
    return [found[index * len(found) // limit] for index in range(limit)]


def check(path: Path) -> Checked:
    """Run one page at every budget and look at all that it hands out."""
    name = f"{path.parent.parent.name}/{path.name.removesuffix('.html.gz')}"
    try:
        return _checked(name, gzip.decompress(path.read_bytes()))
    except Exception as error:  # the purpose is to count whatever a page can make go wrong
        return Checked(name, failed=(f"crash: {type(error).__name__}: {error}",))


def _checked(name: str, body: bytes) -> Checked:
    text = decode(body, "text/html").text
    start = time.perf_counter()
    parser = LexborHTMLParser(text)
    parsed = time.perf_counter()
    snapshot = snapshot_from_bytes(body, url="https://example.org/x", render="given")
    captured = time.perf_counter()
    page = judged(snapshot)
    pages = [filter_judged(page, Options(("html",), BUDGETS[0]))]
    answered = time.perf_counter()
    del parser
    pages = [filter_judged(page, Options(FORMATS, budget)) for budget in BUDGETS]
    failed = [
        f"{kind}: at {budget}"
        for budget, result in zip(BUDGETS, pages, strict=True)
        for kind in _faults(page, result, budget)
    ]
    return Checked(
        name,
        len(BUDGETS) * len(FORMATS),
        (*failed, *_losses(page, pages)),
        (parsed - start) * 1000,
        (captured - parsed) * 1000,
        (answered - parsed) * 1000,
    )


def _faults(page: Judged, result: Page, budget: int) -> Iterator[str]:
    html = result.content["html"]
    yield from ("over_budget" for text in result.content.values() if len(text) > budget)
    if not is_fixpoint(html):
        yield "fixpoint"
    if not agrees_with_second_parser(html):
        yield "second_parser"
    if not sums_are_exact(result):
        yield "ledger"


def _losses(page: Judged, results: Sequence[Page]) -> Iterator[str]:
    whole = text_of(filter_judged(page, Options(("html",), 0)).content["html"])
    if whole != visible_text_of(page.snapshot.html):
        yield "lost_text: without a budget"
    for result in results:
        budget = result.stats.budget["html"]
        for step in (None, _STEP) if budget == BUDGETS[-1] else (None,):
            try:
                text = _text_put_back(page, result, step)
            except StuckUnfold:
                yield f"stuck_unfold: at {budget} in steps of {step}"
            else:
                if text != whole:
                    yield f"lost_text: at {budget}"


def _text_put_back(page: Judged, result: Page, step: int | None) -> str:
    def unfolded(ref: str) -> str:
        return unfold_judged(page, ref, step, "html")

    return text_of(put_back(result.content["html"], unfolded))


def run(paths: Sequence[Path], *, processes: int = 2) -> Tally:
    """Check all pages in parallel; progress on standard error."""
    tally, started = Tally(), time.monotonic()
    with ProcessPoolExecutor(processes) as pool:
        for page in pool.map(check, paths, chunksize=4):
            tally.add(page)
            for failure in page.failed:
                print(f"\r{page.name}: {failure}"[:300], file=sys.stderr)
            if tally.pages % 20 == 0 or tally.pages == len(paths):
                spent = time.monotonic() - started
                bad = sum(tally.kinds.values())
                line = f"\r{tally.pages}/{len(paths)} pages, {bad} failures, {spent:.0f} s"
                print(line, end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return tally


def report(tally: Tally) -> str:
    """The counts, and the static path's time beside lexbor's parse of the same pages."""
    lines = [f"pages {tally.pages}, outputs {tally.outputs} (budgets {BUDGETS}, {FORMATS})"]
    lines += [f"{kind:<14} {tally.kinds[kind]}" for kind in KINDS]
    done = [page for page in tally.checked if page.parse_ms]
    if done:
        static, answer = ([p.static_ms for p in done], [p.answer_ms for p in done])
        ratio = statistics.median(p.static_ms / p.parse_ms for p in done)
        full = statistics.median(p.answer_ms / p.parse_ms for p in done)
        lines.append(
            f"bytes to snapshot {statistics.median(static):.1f} ms ({ratio:.1f} x lexbor), "
            f"bytes to HTML answer {statistics.median(answer):.1f} ms ({full:.1f} x lexbor), medians"
        )
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the counts; 1 when something failed or there are no pages."""
    parser = argparse.ArgumentParser(prog="python -m testbed.conservation", description=__doc__)
    parser.add_argument("--limit", type=int, help="only so many pages, spread over all sets")
    parser.add_argument("--folder", help="only this data set, e.g. wcxb")
    parser.add_argument("--processes", type=int, default=2)
    given = parser.parse_args(arguments)
    paths = pages_under(SHARED, given.folder, given.limit)
    if not paths:
        print(f"no pages under {SHARED}; set PAGEFOLD_SHARED to the data folder")
        return 1
    tally = run(paths, processes=given.processes)
    print(report(tally))
    return 1 if tally.kinds else 0


if __name__ == "__main__":
    raise SystemExit(main())
