"""Steps on tabs, in few words, and tabs without the browser that reads pages, which they have no need of."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from extractor.browser.supervisor import BrowserPool
from extractor.egress.proxy import EgressProxy
from extractor.settings import ExtractorSettings
from extractor.store import SnapshotStore
from extractor.tabs import Outcome, Scan, Tab, TabAct, TabExecute, TabOpen, Tabs, TabScan
from tests.browser.site import Routes, Site, serve

Harbour = tuple[Tabs, Site]


@asynccontextmanager
async def harbour_of(routes: Routes, folder: Path, **values: Any) -> AsyncIterator[Harbour]:
    """Tabs that may open a site's pages, by both names that this machine has for itself."""
    async with serve(routes) as site:
        allowed = f"127.0.0.1:{site.port},localhost:{site.port}"
        settings = ExtractorSettings(
            data_dir=folder, allow_hosts=allowed, launch_timeout_s=60, **values
        )
        proxy = EgressProxy(settings)
        await proxy.start()
        pages = BrowserPool(settings, proxy)  # its slots are what tabs take; no browser is started
        tabs = Tabs(settings, proxy, pages=pages, store=SnapshotStore(folder / "snapshots"))
        try:
            yield tabs, site
        finally:
            await tabs.close_all()
            await proxy.close()


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
