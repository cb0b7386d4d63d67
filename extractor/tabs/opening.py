"""The first page of a window, and the pages that it opens."""

from __future__ import annotations

import asyncio
import contextlib

from playwright.async_api import Error, Page

from extractor.browser.blocking import block_media
from extractor.browser.cookies import add_cookies
from extractor.browser.first_origin import send_headers
from extractor.browser.limits import caps_of, settle_limits
from extractor.browser.navigate import navigate
from extractor.browser.options import origin_of
from extractor.browser.settle import settle
from extractor.egress.proxy import EgressProxy
from extractor.errors import DeadlineExceeded, InvalidRequest
from extractor.request import PageRequest
from extractor.settings import ExtractorSettings
from extractor.tabs.tab import LiveTab
from extractor.tabs.watching import TabWatch
from extractor.tabs.window import Window

#: Past those that may stay open, so many windows are refused before the page is stopped.
_MORE_WINDOWS = 3
#: A page that another opened gets so long to have a document, before whoever opened it is told.
_FIRST_DOCUMENT_MS = 2_000


class Opening:
    """Opens pages in windows, each with a watch over it."""

    def __init__(self, settings: ExtractorSettings, proxy: EgressProxy) -> None:
        self._settings, self._proxy = settings, proxy

    async def first(self, window: Window, request: PageRequest, deadline: float) -> LiveTab:
        """Open a page and load ``request.url``.

        Raises:
            ExtractorError: as of a capture.
        """
        try:
            async with asyncio.timeout_at(deadline):
                tab = await self._tab(window, await self._page(window, request), request)
        except TimeoutError as error:
            raise DeadlineExceeded("no page could be opened in time") from error
        tab.asked = str(request.url)
        async with tab.typed(self._proxy, deadline):
            await add_cookies(tab.session, request)
            await tab.prepare()
            await block_media(tab.session, request.blocked(by_default=False))
            await send_headers(tab.session, tab.watch, origin_of(tab.asked), request.headers)
            limits = settle_limits(self._settings)
            if await navigate(tab.page, tab.watch, tab.asked, "load", deadline - 1):
                await tab.watch.guard(settle(tab.page, tab.watch, "settled", limits, deadline - 1))
            if not tab.watch.navigations:
                raise DeadlineExceeded("nothing had arrived by the deadline")
            await tab.note_title()
            await tab.rest(deadline)
        tab.watch.opened = True
        return tab

    async def other(self, window: Window, page: Page, opener: str) -> LiveTab:
        """A page that a page of the window opened.

        Raises:
            playwright.async_api.Error: it is gone already.
        """
        request = PageRequest(url="https://example.org/")  # nothing of it is asked of such a page
        tab = await self._tab(window, page, request)
        tab.opener = opener
        tab.watch.opened = True
        await tab.prepare()
        with contextlib.suppress(Error):
            await page.wait_for_load_state("domcontentloaded", timeout=_FIRST_DOCUMENT_MS)
        await tab.note_title()
        tab.asked = page.url
        return tab

    async def _page(self, window: Window, request: PageRequest) -> Page:
        try:
            return await window.context.new_page()
        except Error as error:
            for name in ("timezone", "locale"):
                if getattr(request, name) is not None and name in str(error).lower():
                    told = f"{name}: the browser does not know it"
                    raise InvalidRequest(told, field=name) from error
            raise

    async def _tab(self, window: Window, page: Page, request: PageRequest) -> LiveTab:
        session = await window.context.new_cdp_session(page)
        caps = caps_of(request, self._settings)
        watch = TabWatch(page, session, caps, lambda: self._proxy.cut(window.key))
        watch.most_windows = 2 * self._settings.tab_popups + _MORE_WINDOWS
        return LiveTab(page, session, watch, window)
