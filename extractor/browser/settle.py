"""Wait until a page is ready: by its signs, a selector, a predicate or a given time."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, replace
from typing import Any, Literal

from playwright.async_api import Error, Page
from playwright.async_api import TimeoutError as PlaywrightTimeout

from extractor.browser.script import settle_source
from extractor.browser.watch import Watch
from extractor.browser.world import ContextLost
from extractor.errors import PageUnresponsive
from extractor.request import Delay
from extractor.snapshot import Wait

#: Pending when a script holds the page, so that nothing can be asked of it.
BUSY = "script"
_REFRESH_S = 5.0
#: Part of the longest wait that answers may take which scripts are waiting for: some never come.
_FETCH_SHARE = 0.5


@dataclass(frozen=True, slots=True)
class SettleLimits:
    """How long text must be quiet, and the longest wait; milliseconds.

    ``step`` is what somebody did to the page, and ``since`` when that was (event loop's time): quiet counts
    from then. After a ``script`` a page that has none is waited for too, after an ``act`` one that listens.
    """

    quiet_ms: int
    cap_ms: int
    step: Literal["", "act", "script"] = ""
    since: float | None = None


async def settle(
    page: Page, watch: Watch, wait: str | Delay, limits: SettleLimits, deadline: float
) -> Wait:
    """Wait as asked; ``deadline`` is in the event loop's time. ``quiet`` is ``settled`` with one quiet period
    at least.

    Never raises for a page that stays busy: the result says that the cap ended the wait.
    """
    if isinstance(wait, Delay):
        return await _as_asked(page, wait, _left_s(deadline))
    if wait not in ("settled", "quiet"):
        return Wait(ended_by=wait)
    patience = min(
        deadline, asyncio.get_running_loop().time() + limits.cap_ms / 1000 * _FETCH_SHARE
    )
    fetched = wait == "quiet"
    since = limits.since
    for _ in range(2 * watch.caps.navigations):
        seen = watch.navigations
        answer = await _observe(watch, replace(limits, since=since), deadline, fetched)
        since = None
        if answer is None or answer["ended_by"] == "refresh":
            if not await _next_load(page, watch, seen, deadline) and answer is not None:
                return Wait("refresh", ("navigation",))
            if watch.cut or _left_s(deadline) <= 0:
                break
            continue
        if answer["ended_by"] != "cap" and await fetches_end(watch, patience):
            fetched = True
            continue
        fetching = tuple(f"fetch {url}" for url in watch.fetching[:5])
        return Wait(answer["ended_by"], (*answer["pending"], *fetching))
    return Wait("cap", ("navigation",))


async def fetches_end(watch: Watch, patience: float) -> bool:
    """Give what scripts are fetching time until ``patience``; whether something worth a look came."""
    loop = asyncio.get_running_loop()
    if not watch.fetching:
        return False
    while watch.fetching and loop.time() < patience:
        await asyncio.sleep(0.03)
    return not watch.fetching and loop.time() < patience


async def _observe(
    watch: Watch, limits: SettleLimits, deadline: float, fetched: bool
) -> dict[str, Any] | None:
    """Run the waiting function in the page; ``None`` when the page went elsewhere meanwhile."""
    cap_ms = max(0, min(limits.cap_ms, int(_left_s(deadline) * 1000)))
    now = asyncio.get_running_loop().time()
    options = {
        "step": limits.step,
        "sinceMs": 0 if limits.since is None else int((now - limits.since) * 1000),
        "quietMs": limits.quiet_ms,
        "capMs": cap_ms,
        "fetching": fetched or bool(watch.fetching),
    }
    source = f"{settle_source()}({json.dumps(options)})"
    try:
        async with asyncio.timeout(max(0.05, min(cap_ms / 1000 + 1, _left_s(deadline)))):
            world = await watch.primer.world(watch.main_frame, deadline)
            value = await world.value(source, wait=True)
    except TimeoutError:
        return {"ended_by": "cap", "pending": [BUSY]}
    except (Error, ContextLost):
        watch.primer.forget()
        return None
    except PageUnresponsive:
        return {"ended_by": "cap", "pending": [BUSY]}
    return value if isinstance(value, dict) else {"ended_by": "cap", "pending": [BUSY]}


async def _next_load(page: Page, watch: Watch, seen: int, deadline: float) -> bool:
    """Wait for the document that is on its way; whether one came."""
    loop = asyncio.get_running_loop()
    give_up = min(deadline, loop.time() + _REFRESH_S)
    while watch.navigations == seen and loop.time() < give_up and not watch.cut:
        await asyncio.sleep(0.02)
    if watch.navigations == seen:
        return False
    try:
        await page.wait_for_load_state("load", timeout=max(1.0, _left_s(give_up) * 1000))
    except PlaywrightTimeout:
        return True
    return True


async def _as_asked(page: Page, wait: Delay, left_s: float) -> Wait:
    timeout = max(1.0, left_s * 1000)
    try:
        if wait.selector is not None:
            await page.wait_for_selector(wait.selector, state="attached", timeout=timeout)
            return Wait("selector")
        if wait.predicate is not None:
            await page.wait_for_function(wait.predicate, timeout=timeout)
            return Wait("predicate")
    except PlaywrightTimeout:
        return Wait("deadline", ("selector" if wait.selector is not None else "predicate",))
    await asyncio.sleep(min((wait.delay_ms or 0) / 1000, max(0.0, left_s)))
    return Wait("delay")


def _left_s(deadline: float) -> float:
    return deadline - asyncio.get_running_loop().time()
