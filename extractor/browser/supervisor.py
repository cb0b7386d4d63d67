"""Warm browsers: launched once, a fresh context a request, replaced after a crash or many pages."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Any

from playwright.async_api import (
    Browser,
    BrowserContext,
    Error,
    Playwright,
    ProxySettings,
    async_playwright,
)

from extractor.browser import launch
from extractor.browser.selftest import prove_no_way_past
from extractor.browser.slots import Slots
from extractor.egress.proxy import EgressProxy
from extractor.errors import BrowserCrashed, DeadlineExceeded, Draining
from extractor.settings import ExtractorSettings

_MAX_BACKOFF_S = 5.0
_SELF_TEST_KEY = "self-test"


@dataclass(frozen=True, slots=True)
class Lease:
    """A fresh browser context that is the caller's until it is given back."""

    context: BrowserContext
    browser: Browser


@dataclass(slots=True, eq=False)
class _Running:
    browser: Browser
    pid: int | None
    pages: int = 0
    open: int = 0


class BrowserPool:
    """One browser at a time, ``concurrency`` contexts in it and a bounded queue in front."""

    def __init__(self, settings: ExtractorSettings, proxy: EgressProxy) -> None:
        self._settings, self._proxy = settings, proxy
        self._slots = Slots(
            settings.concurrency,
            settings.queue_size,
            settings.deadline_s,
            per_tenant=settings.tenant_concurrency,
        )
        self._launching = asyncio.Lock()
        self._playwright: Playwright | None = None
        self._running: _Running | None = None
        self._retired: set[_Running] = set()
        self._ending: set[asyncio.Task[None]] = set()
        self._closing = False
        self._failures = 0

    async def start(self) -> None:
        """Launch the first browser and prove that it cannot get past the proxy.

        Raises:
            BrowserMissing: there is no Chromium.
            BrowserCrashed: it does not start, or reaches the network without the proxy.
        """
        launch.scrub_environment()
        limit_s = self._settings.launch_timeout_s
        deadline = asyncio.get_running_loop().time() + 2 * limit_s
        record = self._proxy.register(_SELF_TEST_KEY)
        try:
            async with self.lease(_SELF_TEST_KEY, {}, deadline=deadline) as lease:
                await prove_no_way_past(lease.context, record, limit_s)
        except BaseException:
            await self.close()
            raise
        finally:
            await self._proxy.forget(_SELF_TEST_KEY)

    async def close(self) -> None:
        """End every browser, whatever still runs in it; no process is left."""
        self._closing = True
        async with self._launching:
            if self._running is not None:
                self._retired.add(self._running)
                self._running = None
            await asyncio.gather(*map(self._end, list(self._retired)))
            await asyncio.gather(*self._ending, return_exceptions=True)
            await self._stop_driver()

    @property
    def healthy(self) -> bool:
        """Whether the next request can expect a browser: not closing, and the last launch worked."""
        return not self._closing and self._failures == 0

    @property
    def devices(self) -> Mapping[str, Mapping[str, Any]]:
        """Playwright's registry of devices by name; empty before ``start``."""
        return self._playwright.devices if self._playwright is not None else {}

    @contextlib.asynccontextmanager
    async def lease(
        self, key: str, options: Mapping[str, Any], *, deadline: float, tenant: str = ""
    ) -> AsyncIterator[Lease]:
        """A fresh context for one request.

        Args:
            key: as registered with the proxy.
            options: of Playwright's ``new_context``; what the policy fixes cannot be among them.
            deadline: in the event loop's time.
            tenant: whose request it is; slots go round between tenants.

        Raises:
            Busy: the queue is full.
            Draining: the pool is closing.
            DeadlineExceeded: no slot was free in time.
            BrowserMissing, BrowserCrashed: no browser could be had.
        """
        if self._closing:
            raise Draining("The service is shutting down.")
        async with self._slots.taken(deadline, tenant):
            running, context = await self._context(key, options, deadline)
            try:
                yield Lease(context, running.browser)
            finally:
                await self._give_back(running, context)

    async def _context(
        self, key: str, options: Mapping[str, Any], deadline: float
    ) -> tuple[_Running, BrowserContext]:
        try:
            async with asyncio.timeout_at(deadline):
                opened = await self._opened(key, options)
                opened = opened or await self._opened(key, options, final=True)
                assert opened is not None
                return opened
        except TimeoutError as error:
            raise DeadlineExceeded("No page could be opened before the deadline.") from error

    async def _opened(
        self, key: str, options: Mapping[str, Any], *, final: bool = False
    ) -> tuple[_Running, BrowserContext] | None:
        running = await self._browser()
        running.open += 1
        try:
            context = await self._open(running, key, options)
        except (Error, TimeoutError) as error:
            # A browser that opens no context is dead or hung: the next one gets its chance.
            running.open -= 1
            self._retire(running)
            if not final:
                return None
            raise BrowserCrashed("The browser went away.", detail=str(error)) from error
        except BaseException:
            running.open -= 1
            raise
        running.pages += 1
        return running, context

    async def _open(
        self, running: _Running, key: str, options: Mapping[str, Any]
    ) -> BrowserContext:
        user, password = self._proxy.credentials(key)
        async with asyncio.timeout(self._settings.close_timeout_s):
            return await running.browser.new_context(
                **options,
                proxy=ProxySettings(
                    server=self._proxy.url,
                    bypass=launch.NO_BYPASS,
                    username=user,
                    password=password,
                ),
                service_workers="block",
                accept_downloads=False,
                bypass_csp=False,
                ignore_https_errors=False,
                permissions=[],
            )

    async def _browser(self) -> _Running:
        # One launch at a time: the callers that wait here share the browser, or try again themselves.
        async with self._launching:
            if self._closing:
                raise Draining("The service is shutting down.")
            if self._running is not None and not self._running.browser.is_connected():
                self._retire(self._running)
            if self._running is None:
                self._running = await self._launch()
            return self._running

    async def _launch(self) -> _Running:
        if self._failures:
            await asyncio.sleep(min(0.1 * 2**self._failures, _MAX_BACKOFF_S))
        self._failures += 1
        try:
            async with asyncio.timeout(self._settings.launch_timeout_s):
                if self._playwright is None:
                    self._playwright = await async_playwright().start()
                kind = self._playwright.chromium
                browser = await launch.launch(kind, self._settings, self._proxy.url)
                running = _Running(browser, await launch.browser_pid(browser))
        except (Error, TimeoutError, OSError) as error:
            # The driver itself may be what is broken: the next attempt starts a new one.
            await self._stop_driver()
            raise BrowserCrashed("Chromium did not start.", detail=repr(error)) from error
        self._failures = 0
        return running

    async def _give_back(self, running: _Running, context: BrowserContext) -> None:
        running.open -= 1
        try:
            async with asyncio.timeout(self._settings.close_timeout_s):
                await context.close()
        except (Error, TimeoutError):
            self._retire(running)
        if running.pages >= self._settings.recycle_pages:
            self._retire(running)
        if running in self._retired and running.open == 0:
            self._end_later(running)

    def _retire(self, running: _Running) -> None:
        """Take no more requests in it; it ends when those that run have ended."""
        self._retired.add(running)
        if running is self._running:
            self._running = None
        if running.open == 0:
            self._end_later(running)

    def _end_later(self, running: _Running) -> None:
        task = asyncio.create_task(self._end(running))
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)

    async def _end(self, running: _Running) -> None:
        if running not in self._retired:
            return
        self._retired.discard(running)
        try:
            async with asyncio.timeout(self._settings.close_timeout_s):
                await running.browser.close()
        except (Error, TimeoutError):
            if running.pid is not None:
                launch.kill(running.pid)

    async def _stop_driver(self) -> None:
        if self._playwright is None:
            return
        playwright, self._playwright = self._playwright, None
        with contextlib.suppress(Error, TimeoutError, OSError):
            async with asyncio.timeout(self._settings.close_timeout_s):
                await playwright.stop()
