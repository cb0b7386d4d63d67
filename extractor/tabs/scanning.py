"""A look at a tab: its page through the pipeline, its controls, and what changed since the last look."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from extractor.browser.navigate import Egress
from extractor.page import Page
from extractor.pipeline import filtered
from extractor.request import PageRequest
from extractor.request_options import options_of
from extractor.settings import ExtractorSettings
from extractor.snapshot import Snapshot
from extractor.store import SnapshotStore
from extractor.tabs.differing import Seen, changes_between, seen_in
from extractor.tabs.reading import list_controls, read_tab
from extractor.tabs.requests import TabScan
from extractor.tabs.results import Control, Scan
from extractor.tabs.tab import LiveTab


async def scan_tab(
    tab: LiveTab,
    wanted: TabScan,
    *,
    settings: ExtractorSettings,
    proxy: Egress,
    store: SnapshotStore,
    deadline: float,
) -> Scan:
    """Read it; ``store`` is the tenant's part, where the snapshot is kept if that is wanted."""
    request = wanted.page_request(tab.asked)
    meanwhile = await tab.watch.guard(tab.meanwhile(deadline))
    snapshot = await read_tab(tab, request, settings=settings, proxy=proxy, deadline=deadline)
    known = tab.controls
    controls, more = await tab.watch.guard(list_controls(tab, wanted.max_controls, deadline))
    before, tab.seen = tab.seen, await asyncio.to_thread(_seen_whole, snapshot)
    await tab.note_title()
    changes, page = None, None
    if wanted.changes_only and before is not None and tab.seen is not None:
        changes = changes_between(before, tab.seen, settings.tab_change_chars)
    if changes is None or changes.moved_on:
        page = await _page(snapshot, request, settings, store)
    else:
        controls = tuple(each for each in controls if _differs(each, known.get(each.ref)))
    listed: tuple[Control, ...] = controls if wanted.controls else ()
    return Scan(tab.described(settings), page, listed, more, changes, meanwhile)


def _seen_whole(snapshot: Snapshot) -> Seen | None:
    """What it shows; nothing to compare with where only a part was read: the rest is no change."""
    short = any(notice.code == "budget_first" for notice in snapshot.meta.notices)
    return None if short else seen_in(snapshot)


def _differs(control: Control, before: Control | None) -> bool:
    """Whether it is new or other than before; that it was scrolled out of view or in is no change."""
    return before is None or replace(before, in_view=control.in_view) != control


async def _page(
    snapshot: Snapshot, request: PageRequest, settings: ExtractorSettings, store: SnapshotStore
) -> Page:
    key = store.fence_key() if request.fence else None
    options = replace(options_of(request, key), sr_only_chars=settings.sr_only_chars)
    page = await asyncio.to_thread(filtered, snapshot, options)
    if request.unfold:
        await asyncio.to_thread(store.save, snapshot)
    return page
