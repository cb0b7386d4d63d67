"""What reading a page costs inside its renderer, by its size."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from playwright.async_api import Browser, CDPSession, Page, async_playwright

from extractor.browser.discover import find_chromium
from extractor.browser.frames import FrameLimits, read_frames
from extractor.browser.limits import capture_limits
from extractor.settings import ExtractorSettings
from testbed.bench.fetchers import GENERICAGENT_ENV
from testbed.bench.row import Figure, Pairs, Row, single
from testbed.bench.site import Site
from testbed.bench.workers.loop import NO_NAMES

SIZES = (1_000, 10_000, 50_000)


async def in_page_row(site: Site, rounds: int, sizes: Sequence[int] = SIZES) -> Row:
    """CPU of the renderer's main thread while the page is read, a fresh page each time."""
    script, absent = _genericagent()
    figures: list[Figure] = []
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=str(find_chromium(None).path), args=[NO_NAMES]
        )
        for size in sizes:
            ours, theirs = list[float](), list[float]()
            for _ in range(rounds + 1):
                ours.append(await _cpu_ms(browser, site.sized(size), None))
                if script:
                    theirs.append(await _cpu_ms(browser, site.sized(size), script))
            what = f"renderer CPU ms, {size:,} nodes"
            if script:
                pairs = Pairs(what, 3.0, at_least=True, theirs_over_ours=True)
                for pair in zip(ours[1:], theirs[1:], strict=True):
                    pairs.add(*pair)
                figures.append(pairs.figure())
            else:
                figures.append(single(what, ours[1:]))
        await browser.close()
    remarks = (absent, "without it the figures stand alone") if absent else ()
    return Row("reading inside the page", "GenericAgent's script", tuple(figures), remarks)


async def _cpu_ms(browser: Browser, url: str, script: str | None) -> float:
    """One page: by the script given, or by ours."""
    context = await browser.new_context()
    try:
        page = await context.new_page()
        session = await context.new_cdp_session(page)
        await session.send("Performance.enable", {"timeDomain": "threadTicks"})
        await page.goto(url, wait_until="load")
        await page.evaluate("() => document.body.offsetHeight")  # laid out once, as by any page
        before = await _task_s(session)
        if script is None:
            await _read(page, session)
        else:
            await page.evaluate(script)
        return (await _task_s(session) - before) * 1000
    finally:
        await context.close()


async def _read(page: Page, session: CDPSession) -> None:
    limits = FrameLimits(capture_limits(ExtractorSettings()), 0)
    await read_frames(page, session, limits, 1e9)


async def _task_s(session: CDPSession) -> float:
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
