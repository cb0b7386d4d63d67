"""A step: do something to a page, wait until it has had its effect, and say what that was."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from playwright.async_api import Error
from playwright.async_api import TimeoutError as PlaywrightTimeout

from extractor.browser.document import PageStopped
from extractor.browser.script import changes_source
from extractor.browser.settle import SettleLimits, settle
from extractor.browser.world import ContextLost
from extractor.errors import PageUnresponsive
from extractor.settings import ExtractorSettings
from extractor.tabs.lands import Land, begin_in, end_in
from extractor.tabs.results import Change
from extractor.tabs.tab import LiveTab, plain

_T = TypeVar("_T")
#: Until a click has led to a request, as far as it does.
_REACTION_S = 0.1
_ADOPTION_S = 3.0
_POLL_S = 0.02
_TRIES = 2
_LOAD_MS = 3_000.0


@dataclass(frozen=True, slots=True)
class Effect:
    """What a step led to; as of an ``Outcome``."""

    changed: tuple[Change, ...] = ()
    more_changed: int = 0
    largest: Change | None = None
    transient: tuple[str, ...] = ()
    meanwhile: tuple[str, ...] = ()
    navigated: str = ""
    wait: str = ""


@dataclass(frozen=True, slots=True)
class Plan:
    """How a step is taken.

    ``quiet_ms``: how long nothing must happen before that counts as the end of it; ``frame``: that of another
    origin in which it is taken.
    """

    deadline: float
    quiet_ms: int
    frame: Land | None = None


async def take_step(
    tab: LiveTab,
    deed: Callable[[], Awaitable[_T]],
    plan: Plan,
    settings: ExtractorSettings,
) -> tuple[_T | None, Effect]:
    """Do it, and wait for its effect; what the deed gave is ``None`` when the page went away under it.

    Raises:
        PageUnresponsive: a cap has ended the page's scripts, so that nothing can be done with it.
        PageCrashed: the renderer died.
    """
    if tab.watch.halted:
        raise PageUnresponsive(
            f"the page was stopped, since it went past {tab.watch.cut}: close it"
        )
    deadline, frame = plan.deadline, plan.frame
    await _begin(tab, deadline)
    if frame is not None:
        await begin_in(frame, tab, deadline)
    given: _T | None = None
    before = tab.url
    # What ends it here is its own doing, and what that led to is said below.
    with contextlib.suppress(ContextLost, PageStopped):
        given = await tab.watch.guard(deed(), stoppable=True)
    wait = await _effect(tab, settings, deadline, plan.quiet_ms)
    if tab.window.adopting:
        await asyncio.wait(set(tab.window.adopting), timeout=_ADOPTION_S)
    found = await _end(tab, deadline)
    if frame is not None:
        found = joined(found, await end_in(frame, tab, deadline))
    moved = tab.url if tab.watch.navigations or tab.url != before else ""
    return given, _told(found, moved, wait)


async def _begin(tab: LiveTab, deadline: float) -> None:
    world = await tab.watch.guard(tab.world(deadline))
    if not await tab.watch.guard(world.value("globalThis.__pagefoldChanges?.begin() ?? false")):
        await world.value(f"{changes_source()}, __pagefoldChanges.begin()")


async def _effect(tab: LiveTab, settings: ExtractorSettings, deadline: float, quiet_ms: int) -> str:
    """Wait until the page is quiet, wherever it went meanwhile; what ended the wait."""
    watch, loop = tab.watch, asyncio.get_running_loop()
    done = loop.time()
    end = min(deadline, done + settings.settle_cap_s)
    await asyncio.sleep(_REACTION_S)
    while watch.leaving and loop.time() < end and not watch.cut:
        await asyncio.sleep(_POLL_S)
    kind: Literal["act", "script"] = "script" if tab.scripted else "act"
    since = None if watch.navigations else done
    limits = SettleLimits(quiet_ms, int(settings.settle_cap_s * 1000), kind, since)
    try:
        if watch.navigations:
            left_ms = max(1.0, (end - loop.time()) * 1000)
            with contextlib.suppress(PlaywrightTimeout):
                await watch.guard(tab.page.wait_for_load_state("load", timeout=left_ms))
        wait = await watch.guard(settle(tab.page, watch, "quiet", limits, end), stoppable=True)
    except PageStopped:
        return "cap"
    return wait.ended_by


async def _end(tab: LiveTab, deadline: float) -> dict[str, Any]:
    """The page's own record; empty when it does not let itself be asked."""
    for _ in range(_TRIES):
        try:
            world = await tab.world(deadline)
            found = await tab.watch.guard(world.value("globalThis.__pagefoldChanges?.end()"))
        except (ContextLost, Error):
            # It went to another document just now, which has a record of its own.
            tab.watch.primer.forget()
            with contextlib.suppress(Error):
                await tab.page.wait_for_load_state("load", timeout=_LOAD_MS)
        except PageUnresponsive:
            break
        else:
            return found if isinstance(found, dict) else {}
    return {}


def joined(page: dict[str, Any], frame: dict[str, Any]) -> dict[str, Any]:
    """What changed on the page and in a frame of it, in one order: texts before attributes, by size."""
    if not frame:
        return page
    both = [*page.get("changed", ()), *frame["changed"]]
    largest = [each["largest"] for each in (page, frame) if each.get("largest")]
    return {
        **page,
        "changed": sorted(both, key=_rank),
        "largest": min(largest, key=_rank, default=None),
        "more": int(page.get("more", 0)) + int(frame["more"]),
        "transient": [*page.get("transient", ()), *frame["transient"]],
    }


def _rank(change: dict[str, Any]) -> tuple[bool, int]:
    return change["kind"] == "attribute", -int(change["chars"])


def _told(found: dict[str, Any], navigated: str, wait: str) -> Effect:
    return Effect(
        changed=tuple(_change(each) for each in found.get("changed", ())),
        more_changed=int(found.get("more", 0)),
        largest=_change(found["largest"]) if found.get("largest") else None,
        transient=tuple(map(plain, found.get("transient", ()))),
        meanwhile=tuple(map(plain, found.get("earlier", ()))),
        navigated=navigated,
        wait=wait,
    )


def _change(found: dict[str, Any]) -> Change:
    return Change(plain(found["path"]), found["kind"], plain(found["text"]), int(found["chars"]))
