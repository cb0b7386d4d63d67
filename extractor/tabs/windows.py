"""The windows that tabs live in: opened, joined by the pages that pages open, and ended in time."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Coroutine
from typing import Any

import structlog
from playwright.async_api import Error, Page

from extractor.browser.options import context_options
from extractor.browser.supervisor import BrowserPool
from extractor.egress.proxy import EgressProxy
from extractor.errors import Draining, ExtractorError, NotFound
from extractor.request import PageRequest
from extractor.settings import ExtractorSettings
from extractor.tabs.opening import Opening
from extractor.tabs.shelf import Shelf
from extractor.tabs.tab import LiveTab
from extractor.tabs.window import Window

_log = structlog.get_logger(__name__)
#: So often is looked for tabs whose time is over; so long an idle one counts before it begins anew.
_SWEEP_S = 1.0
_RENEW_S = 60.0
_DYING_S = 0.05
_PROBE_KEY = "tabs-ready"
#: A page that another opened has so long to become a tab.
_ADOPTION_S = 10.0


class Windows:
    """Browsers of their own, whose pages may open more; they start with the first tab."""

    def __init__(self, settings: ExtractorSettings, proxy: EgressProxy, shelf: Shelf) -> None:
        self._settings, self._proxy, self._shelf = settings, proxy, shelf
        own = {
            "concurrency": max(1, settings.max_tabs),
            "queue_size": 0,
            "tenant_concurrency": None,
            # A tab that nobody uses is no sign of a browser that does nothing.
            "stuck_deadlines": 1e9,
        }
        self._own = settings.model_copy(update=own)
        self.pool = BrowserPool(self._own, proxy, windows=True)
        self.received_bytes = 0
        self._opening = Opening(settings, proxy)
        self._starting: asyncio.Task[None] | None = None
        self._sweeping: asyncio.Task[None] | None = None
        self._tasks: set[asyncio.Task[Any]] = set()
        self._closed = False

    async def open(self, request: PageRequest, tenant: str, deadline: float) -> LiveTab:
        """A tab in a window of its own, put on the shelf.

        Raises:
            ExtractorError: as of a capture.
        """
        await self._started()
        window = Window(
            self.pool, self._proxy, tenant=tenant, lost=self._lost, received=self._received
        )
        options = context_options(request, self.pool.devices)
        most = self._settings.tab_max_bytes
        await window.open(options, deadline=deadline, max_bytes=most)
        try:
            tab = await self._opening.first(window, request, deadline)
        except BaseException:
            await asyncio.shield(self._spawn(window.close()))
            raise
        window.watch_pages(lambda page: self._adopt(window, page))
        self._keep(tab)
        return tab

    async def ready(self, deadline: float) -> None:
        """Try again what could not be started lately; does nothing before a first tab, and when all is well.

        Raises:
            ExtractorError: it cannot be started.
        """
        if self._starting is None or self._closed:
            return
        await self._started()
        if not self.pool.state.failure:
            return
        self._proxy.register(_PROBE_KEY)
        try:
            async with self.pool.lease(_PROBE_KEY, {}, deadline=deadline, probe=True):
                pass
        finally:
            await self._proxy.forget(_PROBE_KEY)

    async def end(self, tab: LiveTab, reason: ExtractorError) -> None:
        """Close a tab, and its window with the last one in it; whoever asks for it is told why."""
        if not self._shelf.take(tab, reason):
            return
        left = any(other.window is tab.window for other in self._shelf.all())
        await asyncio.shield(self._spawn(_closed(tab, None if left else tab.window, reason)))

    async def expire(self, tab: LiveTab, setting: str) -> None:
        """Close a tab whose time is over by a setting."""
        await self.end(tab, _gone(f"Its time was over: {setting}."))

    async def close(self) -> None:
        """Close every tab and end the browsers; no process is left."""
        self._closed = True
        self.pool.drain()
        for task in (self._sweeping, self._starting):
            if task is not None:
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)
        for tab in self._shelf.all():
            await self.end(tab, Draining("The service is shutting down."))
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self.pool.close()

    async def _started(self) -> None:
        """Start the browsers once; the next to ask tries again when it fails."""
        if self._closed:
            raise Draining("The service is shutting down.")
        if self._starting is not None and self._starting.done() and _failed(self._starting):
            # One that did not start has been closed for good.
            self.pool, self._starting = BrowserPool(self._own, self._proxy, windows=True), None
        if self._starting is None:
            self._starting = asyncio.create_task(self.pool.start())
        await asyncio.shield(self._starting)
        if self._sweeping is None:
            self._sweeping = asyncio.create_task(self._sweep())

    def _keep(self, tab: LiveTab) -> None:
        self._shelf.add(tab)
        tab.page.on("close", lambda _page: self._spawn(self._page_closed(tab)))

    async def _page_closed(self, tab: LiveTab) -> None:
        """Its own doing, or that of a browser that dies, which is known a moment later."""
        await asyncio.sleep(_DYING_S)
        lost = tab.window.failure if tab.window.lost else _gone("Its page closed it.")
        await self.end(tab, lost)

    async def _adopt(self, window: Window, page: Page) -> None:
        """A page that a page of the window opened becomes a tab, or is closed and told of."""
        opener = await self._opener(window, page)
        others = sum(tab.window is window for tab in self._shelf.all()) - 1 + window.coming
        popups = "tab_popups" if others >= self._settings.tab_popups else ""
        refusal = popups or self._shelf.refusal(window.tenant)
        window.coming += not refusal
        try:
            if refusal:
                if opener is not None:
                    opener.watch.refuse(f"a new tab was refused: {refusal}")
                await page.close()
                return
            with self._shelf.place(window.tenant):
                async with asyncio.timeout(_ADOPTION_S):
                    tab = await self._opening.other(window, page, opener.id if opener else "")
                self._keep(tab)
        except Error as error:
            _log.info("page_not_adopted", error=str(error)[:200])  # it has closed itself
        except TimeoutError:
            # Nothing watches over it, so it must not stay.
            _log.info("page_not_adopted", error="it let nobody watch it")
            with contextlib.suppress(Error):
                await page.close()
        finally:
            window.coming -= not refusal

    async def _opener(self, window: Window, page: Page) -> LiveTab | None:
        """The tab whose page opened it; where it does not say, the one that is in use."""
        by = None
        with contextlib.suppress(Error):
            by = await page.opener()
        tabs = [tab for tab in self._shelf.all() if tab.window is window]
        busy = next((tab for tab in tabs if tab.lock.locked()), tabs[0] if tabs else None)
        return next((tab for tab in tabs if tab.page is by), busy)

    def _lost(self, window: Window) -> None:
        for tab in self._shelf.all():
            if tab.window is window:
                self._spawn(self.end(tab, window.failure))

    def _received(self, count: int) -> None:
        self.received_bytes += count

    async def _sweep(self) -> None:
        renewed = 0.0
        while True:
            await asyncio.sleep(_SWEEP_S)
            now = asyncio.get_running_loop().time()
            due = now - renewed >= _RENEW_S
            renewed = now if due else renewed
            for tab in self._shelf.all():
                if over := tab.expired(self._settings):
                    await self.expire(tab, over)
                elif tab.watch.failure is not None and not tab.lock.locked():
                    await self.end(tab, _crashed(tab))
                elif due and not tab.lock.locked():
                    tab.watch.renew()

    def _spawn(self, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task


async def _closed(tab: LiveTab, window: Window | None, reason: ExtractorError) -> None:
    await tab.close(reason)
    if window is not None:
        await window.close()


def _failed(task: asyncio.Task[None]) -> bool:
    return task.cancelled() or task.exception() is not None


def _gone(why: str) -> NotFound:
    return NotFound(f"There is no such tab. {why}")


def _crashed(tab: LiveTab) -> ExtractorError:
    failure = tab.watch.failure
    return failure if isinstance(failure, ExtractorError) else _gone("Its page failed.")
