"""Warm browsers behind a fair queue: a fresh context a request, and a watch over what serves them."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from playwright.async_api import Browser, BrowserContext, Error, ProxySettings

from extractor.browser import launch
from extractor.browser.engine import Engine
from extractor.browser.fleet import Fleet
from extractor.browser.guard import RendererGuard
from extractor.browser.heartbeat import Heartbeat
from extractor.browser.pool_state import PoolState
from extractor.browser.selftest import prove_no_way_past
from extractor.browser.slots import Slots
from extractor.egress.proxy import EgressProxy
from extractor.errors import (
    BrowserCrashed,
    BrowserError,
    DeadlineExceeded,
    Draining,
    ExtractorError,
)
from extractor.settings import ExtractorSettings

_SELF_TEST_KEY = "self-test"
#: How long a slot is kept for a context that does not close; it goes on closing without it.
_SLOT_KEPT_S = 0.8


@dataclass(frozen=True, slots=True)
class Lease:
    """A fresh browser context that is the caller's until it is given back."""

    context: BrowserContext
    browser: Browser
    crash_cause: Callable[[], str]
    """The setting for which a renderer was just ended, or an empty text."""


class BrowserPool:
    """One browser at a time, ``concurrency`` contexts in it and a bounded queue in front.

    A browser that dies, hangs or gets nothing done is killed and replaced, and one that has served many
    pages or grown is replaced while it finishes its work. Requests that ran in it fail typed; those that
    wait do not notice. With ``windows`` its pages may open more of them.
    """

    def __init__(
        self, settings: ExtractorSettings, proxy: EgressProxy, *, windows: bool = False
    ) -> None:
        self._settings, self._proxy = settings, proxy
        self._slots = Slots(
            settings.concurrency,
            settings.queue_size,
            settings.deadline_s,
            per_tenant=settings.tenant_concurrency,
        )
        self._fleet = Fleet(settings, lambda: proxy.url, windows=windows)
        self._heartbeat = Heartbeat(settings, self._fleet, self._slots)
        self._guard = RendererGuard(settings)
        self._watching: asyncio.Future[Any] | None = None
        self._closing_contexts: set[asyncio.Task[None]] = set()
        self._draining = False

    async def start(self) -> None:
        """Launch the first browser and prove that it cannot get past the proxy.

        Raises:
            BrowserMissing: there is no Chromium.
            BrowserCrashed: it does not start, or the network can be reached without the proxy.
        """
        launch.check_environment()
        self._watching = asyncio.gather(
            self._heartbeat.run(), self._guard.run(lambda: self._fleet.pids)
        )
        limit_s = self._settings.launch_timeout_s
        deadline = asyncio.get_running_loop().time() + 2 * limit_s
        record = self._proxy.register(_SELF_TEST_KEY)
        try:
            async with self.lease(_SELF_TEST_KEY, {}, deadline=deadline) as lease:
                async with asyncio.timeout_at(deadline):
                    await prove_no_way_past(lease.context, record, limit_s)
        except TimeoutError as error:
            await self.close()
            raise BrowserCrashed("The browser did not pass its self-test in time.") from error
        except BaseException:
            await self.close()
            raise
        finally:
            await self._proxy.forget(_SELF_TEST_KEY)

    def drain(self) -> None:
        """Take no new requests and send away those that wait; what runs may end."""
        self._draining = True
        self._slots.turn_away(_draining)

    async def close(self) -> None:
        """End every browser, whatever still runs in it; no process is left."""
        self.drain()
        if self._watching is not None:
            self._watching.cancel()
            await asyncio.gather(self._watching, return_exceptions=True)
        await self._fleet.close()
        await asyncio.gather(*self._closing_contexts, return_exceptions=True)

    @property
    def healthy(self) -> bool:
        """Whether the next request can expect a browser; see ``state`` for why not."""
        return self.state.healthy

    @property
    def state(self) -> PoolState:
        """What goes on, for health checks and metrics."""
        fleet, current = self._fleet, self._fleet.current
        failure = fleet.failure if current is None else None
        return PoolState(
            draining=self._draining,
            failure=f"{failure.code}: {failure.message}" if failure is not None else "",
            capacity=self._settings.concurrency,
            busy=self._slots.taken_now,
            waiting=self._slots.waiting,
            browsers=fleet.browsers,
            launches=fleet.launches,
            replaced={**fleet.lost},
            memory_bytes=self._heartbeat.memory_bytes,
            browser_pid=current.pid if current is not None else 0,
            driver_pid=current.driver_pid if current is not None else 0,
        )

    @property
    def devices(self) -> Mapping[str, Mapping[str, Any]]:
        """Playwright's registry of devices by name; empty before ``start``."""
        return self._fleet.devices

    @contextlib.asynccontextmanager
    async def lease(
        self,
        key: str,
        options: Mapping[str, Any],
        *,
        deadline: float,
        tenant: str = "",
        behind: bool = False,
        probe: bool = False,
    ) -> AsyncIterator[Lease]:
        """A fresh context for one request.

        Args:
            key: as registered with the proxy.
            options: of Playwright's ``new_context``; what the policy fixes cannot be among them.
            deadline: in the event loop's time.
            tenant: whose request it is; slots go round between tenants.
            behind: it waits until nobody else wants a slot.
            probe: nothing is read; that it works says nothing about pages.

        Raises:
            Busy: the queue is full.
            Draining: the pool is closing.
            DeadlineExceeded: no slot was free in time.
            BrowserMissing, BrowserCrashed: no browser could be had, or it went away meanwhile.
        """
        if self._draining:
            raise _draining()
        async with self._slots.taken(deadline, tenant, behind=behind):
            engine, context = await self._context(key, options, deadline)
            try:
                yield Lease(context, engine.browser, self._guard.cause)
            except (Error, BrowserError) as error:
                if self._fleet.closed:
                    raise _draining() from error
                if isinstance(error, BrowserError):
                    raise
                raise BrowserCrashed("The browser went away.", detail=str(error)) from error
            except ExtractorError as error:
                if not isinstance(error, DeadlineExceeded):
                    self._succeeded(engine)
                raise
            else:
                if not probe:
                    self._succeeded(engine)
            finally:
                await self._give_back(engine, context)

    @contextlib.asynccontextmanager
    async def turn(self, deadline: float, *, tenant: str = "") -> AsyncIterator[None]:
        """A slot alone, for work on a page that is open elsewhere; as ``lease`` in all else.

        Raises:
            Busy, Draining, DeadlineExceeded: as ``lease``.
        """
        if self._draining:
            raise _draining()
        async with self._slots.taken(deadline, tenant):
            try:
                yield
            finally:
                self._heartbeat.succeeded()

    def _succeeded(self, engine: Engine) -> None:
        engine.served += 1
        self._heartbeat.succeeded()

    async def _context(
        self, key: str, options: Mapping[str, Any], deadline: float
    ) -> tuple[Engine, BrowserContext]:
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
    ) -> tuple[Engine, BrowserContext] | None:
        engine = await self._fleet.engine()
        user, password = self._proxy.credentials(key)
        proxy = ProxySettings(
            server=self._proxy.url, bypass=launch.NO_BYPASS, username=user, password=password
        )
        engine.open += 1
        engine.pages += 1
        opening = asyncio.ensure_future(engine.open_context(options, proxy))
        try:
            async with asyncio.timeout(self._settings.close_timeout_s):
                # The browser makes it even for a caller who leaves meanwhile, so it has to be closed.
                return engine, await asyncio.shield(opening)
        except (Error, TimeoutError) as error:
            # A browser that opens no context is dead or hung: the next one gets its chance.
            self._fleet.give_up(engine)
            self._close_later(engine, opening)
            if not final:
                return None
            raise BrowserCrashed("The browser went away.", detail=str(error)) from error
        except BaseException:
            self._close_later(engine, opening)
            raise

    async def _give_back(self, engine: Engine, context: BrowserContext) -> None:
        opened: asyncio.Future[BrowserContext] = asyncio.get_running_loop().create_future()
        opened.set_result(context)
        await asyncio.wait({self._close_later(engine, opened)}, timeout=_SLOT_KEPT_S)

    def _close_later(
        self, engine: Engine, opening: asyncio.Future[BrowserContext]
    ) -> asyncio.Task[None]:
        closing = asyncio.create_task(self._close_context(engine, opening))
        self._closing_contexts.add(closing)
        closing.add_done_callback(self._closing_contexts.discard)
        return closing

    async def _close_context(self, engine: Engine, opening: asyncio.Future[BrowserContext]) -> None:
        try:
            async with asyncio.timeout(self._settings.close_timeout_s):
                await (await opening).close()
        except (Error, TimeoutError):
            self._fleet.give_up(engine)
        finally:
            self._fleet.released(engine)
        if engine.pages >= self._settings.recycle_pages:
            self._fleet.replace(engine, "pages")


def _draining() -> Draining:
    return Draining("The service is shutting down.")
