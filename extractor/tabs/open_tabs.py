"""Tabs as callers have them: every call names its tenant, waits its turn and fails with an error of ours."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from typing import TypeVar

from extractor.browser.supervisor import BrowserPool
from extractor.egress.policy import judge_url
from extractor.egress.proxy import EgressProxy
from extractor.errors import BrowserError, DeadlineExceeded, NotFound, PageUnresponsive
from extractor.settings import ExtractorSettings
from extractor.store import SnapshotStore
from extractor.tabs.acting import do
from extractor.tabs.drawing import draw
from extractor.tabs.requests import TabAct, TabExecute, TabOpen, TabScan, TabShot, TabStep
from extractor.tabs.results import Outcome, Scan, Tab
from extractor.tabs.running import Value, read_script, run_script, shortened
from extractor.tabs.scanning import scan_tab
from extractor.tabs.shelf import Shelf
from extractor.tabs.steps import Effect, Plan, take_step
from extractor.tabs.tab import LiveTab
from extractor.tabs.telling import outcome_of
from extractor.tabs.windows import Windows

_T = TypeVar("_T")


class Tabs:
    """The tabs of all tenants; a part of ``Extractor``, which closes it.

    Work on a tab takes a slot of ``pages``, the pool in which pages are read, so that all work together is
    bounded; a tab that nobody uses takes none.
    """

    def __init__(
        self,
        settings: ExtractorSettings,
        proxy: EgressProxy,
        *,
        pages: BrowserPool,
        store: SnapshotStore,
    ) -> None:
        self._settings, self._proxy, self._pages, self._store = settings, proxy, pages, store
        self._shelf = Shelf(settings)
        self._windows = Windows(settings, proxy, self._shelf)

    @property
    def pool(self) -> BrowserPool:
        """The browsers of the tabs."""
        return self._windows.pool

    @property
    def count(self) -> int:
        """How many tabs are open."""
        return len(self._shelf)

    @property
    def received_bytes(self) -> int:
        """Bytes that windows received which have ended."""
        return self._windows.received_bytes

    async def ready(self) -> None:
        """Have the browsers of the tabs tried again, if some were needed and could not be had.

        Raises:
            ExtractorError: they still cannot.
        """
        await self._windows.ready(self._deadline(None))

    async def open(self, wanted: TabOpen, *, tenant: str = "") -> Tab:
        """Open a page in a window of its own; it stays until it is closed or its time is over.

        Raises:
            Busy: as many tabs are open as may be.
            pydantic.ValidationError: a field holds what it cannot.
            ExtractorError: as of ``Extractor.extract``.
        """
        request = wanted.page_request()
        judge_url(request.url or "", self._settings.egress_rules)
        deadline = self._deadline(wanted.deadline_s)
        with self._shelf.place(tenant):
            async with self._pages.turn(deadline, tenant=tenant):
                tab = await self._windows.open(request, tenant, deadline)
        return tab.described(self._settings)

    def list(self, tenant: str = "") -> tuple[Tab, ...]:
        """The tenant's tabs, oldest first."""
        return tuple(tab.described(self._settings) for tab in self._shelf.of(tenant))

    def get(self, tab_id: str, *, tenant: str = "") -> Tab:
        """One tab.

        Raises:
            NotFound: there is no such tab.
        """
        return self._shelf.get(tab_id, tenant).described(self._settings)

    async def scan(self, tab_id: str, wanted: TabScan, *, tenant: str = "") -> Scan:
        """Read the page as it stands, with refs of what can be acted on.

        Raises:
            NotFound: there is no such tab.
            pydantic.ValidationError: a field holds what it cannot.
            ExtractorError: as of ``Extractor.extract``.
        """
        store = self._store.of(tenant)
        async with self._used(tab_id, tenant, wanted.deadline_s) as (tab, deadline):
            return await scan_tab(
                tab,
                wanted,
                settings=self._settings,
                proxy=self._proxy,
                store=store,
                deadline=deadline,
            )

    async def execute(self, tab_id: str, wanted: TabExecute, *, tenant: str = "") -> Outcome:
        """Run a script in the page, and say what it gave and what changed.

        A script of which the browser knows that it only reads has no effect to wait for.

        Raises:
            NotFound: there is no such tab.
            ScriptFailed: it threw, or cannot be parsed.
            DeadlineExceeded: it did not end in time.
        """
        most = self._settings.tab_value_chars
        found: Value | None
        async with self._used(tab_id, tenant, wanted.deadline_s) as (tab, deadline):
            read = None
            if wanted.quiet_ms is None and not tab.watch.halted:
                read = await tab.watch.guard(read_script(tab, wanted.script, most=most))
            if read is not None:
                effect = Effect(meanwhile=await tab.meanwhile(deadline), wait="read_only")
                found, outcome = read, outcome_of(tab, effect, self._shelf, self._settings)
            else:
                tab.scripted = True
                found, outcome = await self._step(
                    tab,
                    wanted,
                    lambda: run_script(tab, wanted.script, most=most, deadline=deadline),
                    deadline,
                )
        value = found or Value("undefined", "")
        cut = ("the value was cut: it is longer than tab_value_chars",) if value.cut else ()
        return replace(
            outcome,
            value=shortened(value.text, wanted.max_chars),
            value_type=value.kind,
            value_chars=len(value.text),
            whole=value.text,
            refused=(*outcome.refused, *cut),
        )

    async def act(self, tab_id: str, wanted: TabAct, *, tenant: str = "") -> Outcome:
        """Click, type, select, press or scroll, and say what changed.

        Raises:
            NotFound: there is no such tab.
            StaleRef: the ref is not of the last scan, or its element is gone.
            NotActionable: the element is disabled, covered or of another kind.
            InvalidRequest: there is no such key.
        """
        async with self._used(tab_id, tenant, wanted.deadline_s) as (tab, deadline):
            _, outcome = await self._step(tab, wanted, lambda: do(tab, wanted, deadline), deadline)
        return outcome

    async def screenshot(self, tab_id: str, wanted: TabShot, *, tenant: str = "") -> bytes:
        """A PNG of what is in view, or of the whole page as far as a picture can be tall.

        Past ``max_bytes`` of what is in view it is a JPEG.

        Raises:
            NotFound: there is no such tab.
            PageUnresponsive: it could not be drawn.
            TooLarge: no picture fits into ``max_bytes``.
        """
        async with self._used(tab_id, tenant, wanted.deadline_s) as (tab, deadline):
            return await draw(tab, wanted, deadline)

    async def close(self, tab_id: str, *, tenant: str = "") -> None:
        """Close a tab; those that its page opened stay.

        Raises:
            NotFound: there is no such tab.
        """
        tab = self._shelf.get(tab_id, tenant)
        await self._windows.end(tab, NotFound("There is no such tab. It was closed."))

    async def close_all(self) -> None:
        """Close every tab and end their browsers; no process is left."""
        await self._windows.close()

    def _deadline(self, wished_s: float | None) -> float:
        limit = min(wished_s or self._settings.deadline_s, self._settings.deadline_s)
        return asyncio.get_running_loop().time() + limit

    @contextlib.asynccontextmanager
    async def _used(
        self, tab_id: str, tenant: str, wished_s: float | None
    ) -> AsyncIterator[tuple[LiveTab, float]]:
        """A tab for one piece of work, with the deadline; one whose page is at its end is closed."""
        tab, deadline = self._shelf.get(tab_id, tenant), self._deadline(wished_s)
        try:
            async with asyncio.timeout_at(deadline):
                await tab.lock.acquire()
        except TimeoutError as error:
            raise DeadlineExceeded("another call had the tab until the deadline") from error
        try:
            if tab.over(self._settings):
                await self._windows.expire(tab, "tab_life_s")
            self._shelf.get(tab_id, tenant)  # it may have ended meanwhile
            async with self._pages.turn(deadline, tenant=tenant), tab.typed(self._proxy, deadline):
                tab.watch.renew()
                await tab.watch.guard(tab.awake(deadline))
                yield tab, deadline
        except BrowserError as failure:
            if not isinstance(failure, PageUnresponsive):
                await self._windows.end(tab, failure)
            raise
        finally:
            tab.used_at = asyncio.get_running_loop().time()
            tab.watch.measure()
            tab.lock.release()

    async def _step(
        self,
        tab: LiveTab,
        wanted: TabStep,
        deed: Callable[[], Awaitable[_T]],
        deadline: float,
    ) -> tuple[_T | None, Outcome]:
        quiet_ms = self._settings.tab_quiet_ms if wanted.quiet_ms is None else wanted.quiet_ms
        tab.watch.answer(wanted.dialogs, wanted.prompt_text)
        try:
            land = tab.lands.get(wanted.ref or "") if isinstance(wanted, TabAct) else None
            frame = land if land is not None and land.parent is not None else None
            plan = Plan(deadline, quiet_ms, frame)
            given, effect = await take_step(tab, deed, plan, self._settings)
        finally:
            tab.watch.answer()  # nobody stands behind what the page asks later
        await tab.note_title()
        return given, outcome_of(tab, effect, self._shelf, self._settings)
