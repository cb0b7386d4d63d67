"""What reading a page costs inside its renderer, by its size."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from playwright.async_api import Browser, CDPSession, Page, async_playwright

from extractor.browser.discover import find_chromium
from extractor.browser.frames import read_frames
from extractor.browser.limits import frame_limits
from extractor.request import PageRequest
from extractor.settings import ExtractorSettings
from testbed.bench.fetchers import GENERICAGENT_ENV
from testbed.bench.row import Figure, Pairs, Row, single
from testbed.bench.site import Site
from testbed.bench.workers.loop import NO_NAMES

_Side = Callable[[str], Awaitable[float]]
_Reading = Callable[[Page, CDPSession], Awaitable[None]]

SIZES = (1_000, 10_000, 50_000)
#: Pages that are large enough to be read as far as a budget reaches.
LARGE = (20_000, 50_000, 200_000)
_BUDGET = 35_000


async def in_page_row(site: Site, rounds: int, sizes: Sequence[int] = SIZES) -> Row:
    """CPU of the renderer's main thread while the page is read, a fresh page each time."""
    script, absent = _genericagent()
    async with _browsers() as browser:
        ours = partial(_cpu_ms, browser, read=_read)
        theirs = partial(_cpu_ms, browser, read=partial(_evaluate, script)) if script else None
        figures = [
            await _figure(site.sized(size), (ours, theirs), rounds, _What(size, 3.0))
            for size in sizes
        ]
    remarks = (absent, "without it the figures stand alone") if absent else ()
    return Row("reading inside the page", "GenericAgent's script", tuple(figures), remarks)


async def budget_first_rows(site: Site, rounds: int, sizes: Sequence[int] = LARGE) -> list[Row]:
    """The same where a page is read as far as a budget of 35,000 characters reaches: beside the script, and
    beside the exact capture.
    """
    name, (script, absent) = "reading as far as a budget reaches", _genericagent()
    async with _browsers() as browser:
        ours = partial(_cpu_ms, browser, read=_read_bounded)
        exact = partial(_cpu_ms, browser, read=_read)
        whole = [
            await _figure(site.sized(size), (ours, exact), rounds, _What(size)) for size in sizes
        ]
        rows = [Row(name, "the exact capture", tuple(whole))]
        if not script:
            return [*rows, Row(name, "GenericAgent's script", skipped=absent)]
        theirs = partial(_cpu_ms, browser, read=partial(_evaluate, script))
        against = [
            await _figure(site.sized(size), (ours, theirs), rounds, _What(size, 10.0))
            for size in sizes
        ]
    return [*rows, Row(name, "GenericAgent's script", tuple(against))]


@dataclass(frozen=True, slots=True)
class _What:
    nodes: int
    goal: float | None = None


async def _figure(url: str, sides: tuple[_Side, _Side | None], rounds: int, what: _What) -> Figure:
    """Both sides in turn; the first round does not count."""
    name, (ours, theirs) = f"renderer CPU ms, {what.nodes:,} nodes", sides
    if theirs is None:
        return single(name, [await ours(url) for _ in range(rounds + 1)][1:])
    pairs = Pairs(name, what.goal, at_least=True, theirs_over_ours=True)
    for number in range(rounds + 1):
        pair = await ours(url), await theirs(url)
        if number:
            pairs.add(*pair)
    return pairs.figure()


@asynccontextmanager
async def _browsers() -> AsyncIterator[Browser]:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=str(find_chromium(None).path), args=[NO_NAMES]
        )
        yield browser
        await browser.close()


async def _cpu_ms(browser: Browser, url: str, *, read: _Reading) -> float:
    """One page, read in one way."""
    context = await browser.new_context()
    try:
        page = await context.new_page()
        session = await context.new_cdp_session(page)
        await session.send("Performance.enable", {"timeDomain": "threadTicks"})
        await page.goto(url, wait_until="load")
        await page.evaluate("() => document.body.offsetHeight")  # laid out once, as by any page
        before = await task_s(session)
        await read(page, session)
        return (await task_s(session) - before) * 1000
    finally:
        await context.close()


async def _evaluate(script: str, page: Page, _: CDPSession) -> None:
    await page.evaluate(script)


async def _read(page: Page, session: CDPSession) -> None:
    await _read_as(PageRequest(url=page.url), page, session)


async def _read_bounded(page: Page, session: CDPSession) -> None:
    await _read_as(PageRequest(url=page.url, budget=_BUDGET, unfold=False), page, session)


async def _read_as(request: PageRequest, page: Page, session: CDPSession) -> None:
    limits = replace(frame_limits(request, ExtractorSettings()), max_frames=0)
    await read_frames(page, session, limits, 1e9)


async def task_s(session: CDPSession) -> float:
    """Seconds that the page's main thread has worked; ``Performance`` must be on."""
    metrics = (await session.send("Performance.getMetrics"))["metrics"]
    return float(next(each["value"] for each in metrics if each["name"] == "TaskDuration"))


def _genericagent() -> tuple[str, str]:
    """Its page script as an expression, or why it cannot be had."""
    folder = os.environ.get(GENERICAGENT_ENV, "")
    if not Path(folder, "simphtml.py").is_file():
        return "", f"GenericAgent: {GENERICAGENT_ENV} names no folder with its simphtml.py"
    sys.path.insert(0, folder)
    try:
        module: Any = importlib.import_module("simphtml")
    finally:
        sys.path.remove(folder)
    return f"() => {{ {module.js_optHTML}\nreturn optHTML(false); }}", ""
