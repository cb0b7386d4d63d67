"""Warm browsers: launched once, a fresh context a request, replaced after a crash or many pages."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Any

import structlog
from playwright.async_api import Browser, BrowserContext, Error, Playwright, async_playwright

from extractor.browser.discover import find_chromium
from extractor.egress.proxy import EgressProxy
from extractor.errors import BrowserCrashed, Busy, DeadlineExceeded, Draining
from extractor.settings import ExtractorSettings

_LOG = structlog.get_logger(__name__)

#: Set in the environment it makes Chromium dial loopback and link-local addresses past the proxy.
_BYPASS_VARIABLE = "PLAYWRIGHT_DISABLE_FORCED_CHROMIUM_PROXIED_LOOPBACK"
LAUNCH_ARGUMENTS = (
    "--disable-quic",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--block-new-web-contents",
    "--js-flags=--max-old-space-size=512",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
_SELF_TEST_URLS = ("http://169.254.169.254/", "http://127.0.0.1/")


@dataclass(frozen=True, slots=True)
class Lease:
    """A fresh browser context that is the caller's until it is given back."""

    context: BrowserContext
    browser: Browser


@dataclass(slots=True)
class _Running:
    browser: Browser
    pages: int = 0
    open: int = 0
    retired: bool = False


class BrowserPool:
    """One browser at a time, ``concurrency`` contexts in it and a bounded queue in front."""

    def __init__(self, settings: ExtractorSettings, proxy: EgressProxy) -> None:
        self._settings, self._proxy = settings, proxy
        self._slots = asyncio.Semaphore(settings.concurrency)
        self._waiting = 0
        self._launching = asyncio.Lock()
        self._playwright: Playwright | None = None
        self._running: _Running | None = None
        self._closing = False
        self._retired: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        """Launch the first browser and prove that it cannot get past the proxy.

        Raises:
            BrowserMissing: there is no Chromium.
            BrowserCrashed: it does not start, or reaches the network without the proxy.
        """
        os.environ.pop(_BYPASS_VARIABLE, None)
        self._playwright = await async_playwright().start()
        try:
            await self._self_test()
        except BaseException:
            await self.close()
            raise

    async def close(self) -> None:
        """End every browser; no process is left."""
        self._closing = True
        if self._running is not None:
            await self._end(self._running)
            self._running = None
        await asyncio.gather(*self._retired, return_exceptions=True)
        if self._playwright is not None:
            await self._playwright.stop()
            self._playwright = None

    @property
    def healthy(self) -> bool:
        """Whether a browser is up, or can be launched for the next request."""
        return not self._closing and self._playwright is not None

    @contextlib.asynccontextmanager
    async def lease(
        self, key: str, options: Mapping[str, Any], *, deadline: float
    ) -> AsyncIterator[Lease]:
        """A fresh context for one request. ``deadline`` is in the event loop's time.

        Raises:
            Busy: the queue is full.
            Draining: the pool is closing.
            DeadlineExceeded: no slot was free in time.
        """
        await self._take_slot(deadline)
        try:
            running = await self._browser()
            running.open += 1
            running.pages += 1
            try:
                context = await self._context(running, key, options, deadline)
                try:
                    yield Lease(context, running.browser)
                finally:
                    await self._close_context(context)
            finally:
                running.open -= 1
                self._recycle(running)
        finally:
            self._slots.release()

    async def _take_slot(self, deadline: float) -> None:
        if self._closing:
            raise Draining("The service is shutting down.")
        if self._slots.locked() and self._waiting >= self._settings.queue_size:
            raise Busy("All browsers are busy and the queue is full.", retry_after_s=2)
        self._waiting += 1
        try:
            async with asyncio.timeout_at(deadline):
                await self._slots.acquire()
        except TimeoutError as error:
            raise DeadlineExceeded("No browser was free before the deadline.") from error
        finally:
            self._waiting -= 1

    async def _browser(self) -> _Running:
        async with self._launching:
            if self._running is None or not self._running.browser.is_connected():
                self._running = _Running(await self._launch())
            return self._running

    async def _launch(self) -> Browser:
        if self._playwright is None:
            raise Draining("The service is shutting down.")
        setting = self._settings.chromium_path
        chromium = await asyncio.to_thread(find_chromium, str(setting) if setting else None)
        sandbox = os.geteuid() != 0
        if not sandbox:
            _LOG.warning(
                "chromium_sandbox_off", reason="running as root; run as a user to have it on"
            )
        try:
            return await self._playwright.chromium.launch(
                executable_path=chromium.path,
                args=list(LAUNCH_ARGUMENTS),
                chromium_sandbox=sandbox,
                proxy={"server": self._proxy.url, "bypass": "<-loopback>"},
                timeout=self._settings.launch_timeout_s * 1000,
                handle_sigint=False,
                handle_sigterm=False,
                handle_sighup=False,
            )
        except Error as error:
            raise BrowserCrashed("Chromium did not start.", detail=str(error)) from error

    async def _context(
        self, running: _Running, key: str, options: Mapping[str, Any], deadline: float
    ) -> BrowserContext:
        user, password = self._proxy.credentials(key)
        try:
            async with asyncio.timeout_at(deadline):
                return await running.browser.new_context(
                    **options,
                    proxy={
                        "server": self._proxy.url,
                        "bypass": "<-loopback>",
                        "username": user,
                        "password": password,
                    },
                    service_workers="block",
                    accept_downloads=False,
                    bypass_csp=False,
                    ignore_https_errors=False,
                    permissions=[],
                )
        except Error as error:
            raise BrowserCrashed("The browser went away.", detail=str(error)) from error
        except TimeoutError as error:
            raise DeadlineExceeded("No page could be opened before the deadline.") from error

    async def _close_context(self, context: BrowserContext) -> None:
        with contextlib.suppress(Error, TimeoutError):
            async with asyncio.timeout(self._settings.close_timeout_s):
                await context.close()

    def _recycle(self, running: _Running) -> None:
        if running.pages >= self._settings.recycle_pages and running is self._running:
            self._running = None
            running.retired = True
        if running.retired and running.open == 0:
            task = asyncio.ensure_future(self._end(running))
            self._retired.add(task)
            task.add_done_callback(self._retired.discard)

    async def _end(self, running: _Running) -> None:
        with contextlib.suppress(Error, TimeoutError):
            async with asyncio.timeout(self._settings.close_timeout_s):
                await running.browser.close()

    async def _self_test(self) -> None:
        """The proxy must be asked for, and must refuse, what no page may reach."""
        key = "self-test"
        deadline = asyncio.get_running_loop().time() + self._settings.launch_timeout_s
        self._proxy.register(key)
        async with self.lease(key, {}, deadline=deadline) as lease:
            page = await lease.context.new_page()
            for url in _SELF_TEST_URLS:
                with contextlib.suppress(Error):
                    await page.goto(url, timeout=5_000)
            refused = {host for host, _ in self._proxy.record(key).blocked}
        await self._proxy.forget(key)
        if len(refused) != len(_SELF_TEST_URLS):
            raise BrowserCrashed(
                "The browser does not send its traffic through the egress proxy.",
                detail=str(refused),
            )
