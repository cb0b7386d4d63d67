"""What the answer loses where a page is read only as far as its budget reaches.

``python -m testbed.budget_first --data FOLDER`` opens the largest pages of a data set with gold in Chromium,
scripts and network off, reads each as a whole and as far as the budget reaches, whatever its size, and prints
the word F1 of the main text of both, and the processor time of the page's own process. Pages of which nothing
was left out are counted, and not compared.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

from playwright.async_api import Browser, CDPSession, Page, Route, async_playwright

from extractor.browser.discover import find_chromium
from extractor.browser.frames import read_frames
from extractor.browser.limits import frame_limits
from extractor.compose import compose, snapshot_of
from extractor.pipeline import Options, judged
from extractor.request import PageRequest
from extractor.settings import ExtractorSettings
from extractor.snapshot import SnapshotMeta
from testbed.bench.in_page import task_s
from testbed.compare import importers
from testbed.compare.metrics import agreement
from testbed.compare.ours import written
from testbed.compare.pages import GoldPage


@dataclass(frozen=True, slots=True)
class Outcome:
    """One page read in one way: F1 of its main text, seconds in the page, characters that were not read."""

    f1: float
    task_s: float
    left: int


@dataclass(frozen=True, slots=True)
class Pair:
    """A page read as a whole, and as far as the budget reaches."""

    id: str
    kind: str
    exact: Outcome
    bounded: Outcome


async def compare(pages: Sequence[GoldPage], budget: int) -> list[Pair]:
    """Each page in both ways, one after the other."""
    found: list[Pair] = []
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=find_chromium(None).path)
        for page in pages:
            exact = await _read(browser, page, budget, bounded=False)
            bounded = await _read(browser, page, budget, bounded=True)
            found.append(Pair(page.id, page.kind, exact, bounded))
        await browser.close()
    return found


async def _read(browser: Browser, gold: GoldPage, budget: int, *, bounded: bool) -> Outcome:
    url = gold.url or "https://page.invalid/"
    context = await browser.new_context(java_script_enabled=False)
    try:
        page = await context.new_page()

        async def answer(route: Route) -> None:
            if route.request.is_navigation_request() and route.request.frame == page.main_frame:
                await route.fulfill(body=gold.body, content_type="text/html")
            else:
                await route.abort()

        await context.route("**/*", answer)
        await page.goto(url, wait_until="load")
        session = await context.new_cdp_session(page)
        return await _captured(page, session, gold, budget, bounded=bounded)
    finally:
        await context.close()


async def _captured(
    page: Page, session: CDPSession, gold: GoldPage, budget: int, *, bounded: bool
) -> Outcome:
    settings = ExtractorSettings(budget_first_elements=0)
    request = PageRequest(url=gold.url, format=("text",), budget=budget, unfold=not bounded)
    limits = replace(frame_limits(request, settings), max_frames=0, scripts=False)
    await session.send("Performance.enable", {"timeDomain": "threadTicks"})
    before = await task_s(session)
    found = await read_frames(page, session, limits, asyncio.get_running_loop().time() + 60)
    spent = await task_s(session) - before
    composed = compose(found.main)
    url = str(composed.meta["url"])
    meta = SnapshotMeta(url, url, "browser", title=str(composed.meta["title"]))
    meta = replace(meta, viewport=cast("tuple[int, int]", tuple(composed.meta["viewport"])))
    page_ = judged(snapshot_of(composed, meta))
    text = written(page_, "text", budget, options=Options(("text",), main_only=True))
    return Outcome(agreement(gold.gold, text).f1 or 0.0, spent, sum(page_.doc.unread.values()))


def report(pairs: Sequence[Pair]) -> str:
    """Means over the pages of which something was left out, and the largest losses."""
    cut = [pair for pair in pairs if pair.bounded.left]
    lines = [f"{len(pairs)} pages, {len(cut)} of them not read to their end"]
    if not cut:
        return lines[0]
    losses = sorted(cut, key=lambda pair: pair.bounded.f1 - pair.exact.f1)
    for name in ("exact", "bounded"):
        outcomes = [cast(Outcome, getattr(pair, name)) for pair in cut]
        f1 = statistics.mean(outcome.f1 for outcome in outcomes)
        ms = statistics.median(outcome.task_s for outcome in outcomes) * 1000
        lines.append(f"{name}: F1 {f1:.3f}, {ms:.1f} ms in the page (median)")
    ratio = statistics.median(pair.exact.task_s / pair.bounded.task_s for pair in cut)
    lines.append(f"exact takes {ratio:.2f} times as long (median)")
    for pair in losses[:10]:
        lines.append(
            f"  {pair.id} {pair.kind}: {pair.exact.f1:.3f} -> {pair.bounded.f1:.3f}, "
            f"{pair.bounded.left:,} characters left"
        )
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the report."""
    parser = argparse.ArgumentParser(prog="python -m testbed.budget_first", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="a data set with gold text")
    parser.add_argument("--pages", type=int, default=100, help="the largest so many by bytes")
    parser.add_argument("--budget", type=int, default=35_000, help="characters")
    given = parser.parse_args(arguments)
    pages = [page for page in importers.read(given.data) if page.gold.text]
    largest = sorted(pages, key=lambda page: (-len(page.body), page.id))[: given.pages]
    print(report(asyncio.run(compare(largest, given.budget))))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
