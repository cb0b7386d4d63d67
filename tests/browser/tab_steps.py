"""Steps on tabs, in few words."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from extractor.tabs import Outcome, Scan, Tab, TabAct, TabExecute, TabOpen, Tabs, TabScan
from tests.browser.site import Site

Harbour = tuple[Tabs, Site]


@asynccontextmanager
async def opened(harbour: Harbour, path: str) -> AsyncIterator[tuple[Tabs, Site, Tab]]:
    """A tab on one of the pages; all are closed afterwards."""
    tabs, site = harbour
    tab = await tabs.open(TabOpen(url=site.url(path)))
    try:
        yield tabs, site, tab
    finally:
        for each in tabs.list():
            await tabs.close(each.id)


async def run(tabs: Tabs, tab: Tab, script: str, **more: Any) -> Outcome:
    return await tabs.execute(tab.id, TabExecute(script=script, **more))


async def look(tabs: Tabs, tab: Tab, **wanted: Any) -> Scan:
    return await tabs.scan(tab.id, TabScan(format="text", **wanted))


async def click(tabs: Tabs, tab: Tab, scan: Scan, name: str, **more: Any) -> Outcome:
    return await tabs.act(tab.id, TabAct(action="click", ref=ref_of(scan, name), **more))


def ref_of(scan: Scan, name: str) -> str:
    [ref] = [control.ref for control in scan.controls if control.name == name]
    return ref
