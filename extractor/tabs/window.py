"""A browser context that is held as long as one of its tabs is open."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Mapping
from typing import Any

import structlog
from playwright.async_api import BrowserContext, Page

from extractor.browser.supervisor import BrowserPool, Lease
from extractor.egress.proxy import EgressProxy
from extractor.errors import BrowserCrashed, ExtractorError

_log = structlog.get_logger(__name__)
#: Without a window to lock a pointer in, Chromium never ends to try, at the cost of all tabs in it: pages
#: find the feature missing, as on a phone.
_WITHOUT_LOCK = "delete Element.prototype.requestPointerLock"


class Window:
    """One lease of the pool, with a key of its own at the proxy; its pages share cookies and storage.

    ``lost`` is called once when the browser takes the context away. ``received`` gets the bytes that its
    pages received, when it ends. ``coming`` counts the pages that are becoming tabs.
    """

    def __init__(
        self,
        pool: BrowserPool,
        proxy: EgressProxy,
        *,
        tenant: str,
        lost: Callable[[Window], None],
        received: Callable[[int], None],
    ) -> None:
        self.key = secrets.token_hex(8)
        self.tenant = tenant
        self.coming = 0
        self.adopting: set[asyncio.Task[Any]] = set()
        self.failure: ExtractorError = BrowserCrashed("The browser went away, and the tab with it.")
        self._pool, self._proxy = pool, proxy
        self._when_lost, self._received = lost, received
        self._lease: Lease | None = None
        self._closing = asyncio.Event()
        self._holding: asyncio.Task[None] | None = None

    @property
    def context(self) -> BrowserContext:
        """The context. Raises RuntimeError before ``open``."""
        if self._lease is None:
            raise RuntimeError("the window is not open")
        return self._lease.context

    @property
    def crash_cause(self) -> str:
        """The setting for which a renderer was just ended, or empty."""
        return self._lease.crash_cause() if self._lease is not None else ""

    @property
    def lost(self) -> bool:
        """Whether its browser has gone."""
        return self._lease is not None and not self._lease.browser.is_connected()

    async def open(
        self, options: Mapping[str, Any], *, deadline: float, max_bytes: int
    ) -> BrowserContext:
        """Lease the context.

        Raises:
            ExtractorError: as ``BrowserPool.lease``.
        """
        ready: asyncio.Future[Lease] = asyncio.get_running_loop().create_future()
        self._proxy.register(self.key, max_bytes=max_bytes)
        self._holding = asyncio.create_task(self._hold(options, deadline, ready))
        try:
            self._lease = await ready
        except BaseException:
            self._holding.cancel()
            await asyncio.gather(self._holding, return_exceptions=True)
            raise
        self._lease.context.on("close", lambda _context: self._gone())
        await self._lease.context.add_init_script(_WITHOUT_LOCK)
        return self._lease.context

    def watch_pages(self, adopt: Callable[[Page], Any]) -> None:
        """From now on every page that a page of this window opens is handed over."""

        def opened(page: Page) -> None:
            task = asyncio.ensure_future(adopt(page))
            self.adopting.add(task)
            task.add_done_callback(self.adopting.discard)

        self.context.on("page", opened)

    async def close(self) -> None:
        """Give the context back; does nothing when it is closed."""
        self._closing.set()
        for task in self.adopting:
            task.cancel()
        if self._holding is not None:
            await asyncio.gather(self._holding, *self.adopting, return_exceptions=True)

    def _gone(self) -> None:
        if not self._closing.is_set():
            self._closing.set()
            self._when_lost(self)

    async def _hold(
        self, options: Mapping[str, Any], deadline: float, ready: asyncio.Future[Lease]
    ) -> None:
        try:
            async with self._pool.lease(
                self.key, options, deadline=deadline, tenant=self.tenant
            ) as lease:
                ready.set_result(lease)
                await self._closing.wait()
        except ExtractorError as error:
            if ready.done():
                _log.info("window_ended", error=error.code)
            else:
                ready.set_exception(error)
        finally:
            self._received((await self._proxy.forget(self.key)).bytes_in)
