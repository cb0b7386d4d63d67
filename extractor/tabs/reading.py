"""The page of a tab as a snapshot, and what can be acted on in it."""

from __future__ import annotations

import asyncio
from typing import Any

from extractor.browser.blocked import blocked_notices
from extractor.browser.frames import Documents, read_frames
from extractor.browser.limits import frame_limits, settle_limits
from extractor.browser.navigate import Egress
from extractor.browser.record import Course, record_of
from extractor.browser.settle import settle
from extractor.browser.world import ContextLost
from extractor.compose import compose, snapshot_of
from extractor.errors import TooManyNavigations
from extractor.request import PageRequest
from extractor.settings import ExtractorSettings
from extractor.snapshot import Snapshot
from extractor.tabs.lands import listed
from extractor.tabs.results import Control
from extractor.tabs.tab import LiveTab, plain

_TRIES = 3


async def read_tab(
    tab: LiveTab,
    request: PageRequest,
    *,
    settings: ExtractorSettings,
    proxy: Egress,
    deadline: float,
) -> Snapshot:
    """The page as it stands now; ``deadline`` is in the event loop's time.

    Raises:
        TooManyNavigations: it moved on whenever it was read.
    """
    wait = await tab.watch.guard(
        settle(tab.page, tab.watch, "settled", settle_limits(settings), deadline)
    )
    tab.watch.reading()
    documents = await tab.watch.guard(_documents(tab, request, settings, deadline))
    composed = await asyncio.to_thread(compose, documents.main, documents.frames)
    seen = proxy.record(tab.window.key)
    course = Course(
        url=tab.asked or tab.page.url,
        reached=True,
        wait=wait,
        cap=documents.cut,
        notices=(*documents.notices, *blocked_notices(seen, settings.max_blocked_hosts)),
        timings_ms={},
    )
    return snapshot_of(composed, record_of(course, tab.watch, composed.meta, composed.nodes))


async def _documents(
    tab: LiveTab, request: PageRequest, settings: ExtractorSettings, deadline: float
) -> Documents:
    for _ in range(_TRIES):
        try:
            return await read_frames(
                tab.page,
                tab.session,
                frame_limits(request, settings),
                deadline,
                refused=tab.watch.refused_frames,
                primed=await tab.world(deadline),
            )
        except ContextLost:
            tab.watch.primer.forget()
            await tab.page.wait_for_load_state("load")
    raise TooManyNavigations("the page did not stop moving on to other documents")


async def list_controls(
    tab: LiveTab, most: int, deadline: float
) -> tuple[tuple[Control, ...], int]:
    """What can be acted on, and how many more there are; refs of an earlier list are stale from now on."""
    found = await listed(tab, most, deadline)
    controls: list[Control] = []
    tab.lands = {}
    for land, record in found:
        tab.next_ref = max(tab.next_ref, int(record["next"]))
        here = [_control(each) for each in record["controls"]]
        tab.lands |= {control.ref: land for control in here}
        controls += here
    tab.controls = {control.ref: control for control in controls}
    return tuple(controls), sum(int(record["more"]) for _, record in found)


def _control(found: dict[str, Any]) -> Control:
    return Control(
        ref=plain(found["ref"]),
        role=plain(found["role"]),
        name=plain(found["name"]),
        tag=plain(found["tag"]),
        value=plain(found["value"]),
        states=tuple(map(plain, found["states"])),
        options=tuple(map(plain, found["options"])),
        context=plain(found["context"]),
        frame=plain(found["frame"]),
        url=plain(found["url"]),
        in_view=bool(found["in_view"]),
    )
