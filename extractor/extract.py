"""From a request to a page: the only place where the edges and the pure pipeline meet."""

from __future__ import annotations

import asyncio
import secrets
import time
from dataclasses import dataclass, replace

from extractor.answers import Answer, answered
from extractor.browser.capture import NotHtml, capture, context_options
from extractor.browser.supervisor import BrowserPool
from extractor.egress.fetch import Fetched, fetch
from extractor.egress.policy import judge_url
from extractor.egress.proxy import EgressProxy
from extractor.egress.replay import ResponseSource
from extractor.errors import BrowserMissing, Busy, DeadlineExceeded, PageCrashed, PageUnresponsive
from extractor.offline import snapshot_of_html
from extractor.page import Page
from extractor.pipeline import Options, filtered
from extractor.recent import Large, Recent
from extractor.request import PageRequest
from extractor.request_options import options_of
from extractor.settings import ExtractorSettings
from extractor.snapshot import Notice, Snapshot
from extractor.stages import entered
from extractor.static import StaticOptions, needs_browser, snapshot_from_bytes
from extractor.store import SnapshotStore
from extractor.styles import Viewport as WindowSize
from extractor.tabs import Tabs


def _chosen(snapshot: Snapshot, found: tuple[str, ...]) -> Snapshot:
    """The snapshot with a notice of why ``render="auto"`` took the way it took."""
    why = (
        f"read in a browser: the page has {', '.join(found)}"
        if found
        else "read without a browser: no scripts, style sheets or frames can change what is visible"
    )
    notices = (*snapshot.meta.notices, Notice("render", why))
    return replace(snapshot, meta=replace(snapshot.meta, notices=notices))


def _retried(snapshot: Snapshot, crash: PageCrashed) -> Snapshot:
    """The snapshot of a second load, which says that it is one."""
    why = f"{crash.message}; this is the second load, in a fresh context"
    notices = (Notice("retried", why), *snapshot.meta.notices)
    return replace(snapshot, meta=replace(snapshot.meta, notices=notices))


#: What reading and filtering may take past a request's deadline before its caller is told.
_GRACE_S = 1.5


@dataclass(frozen=True, slots=True)
class _Ticket:
    """With what a request goes to the browsers: its key at the proxy, its deadline, whose it is, and
    whether it waits behind all others.
    """

    key: str
    deadline: float
    tenant: str
    behind: bool


class Extractor:
    """Captures pages with a real browser or without one, and filters them.

    Use as an async context manager: it owns the egress proxy and the browsers, and leaves no process
    behind. ``store`` holds every snapshot that was captured. Without ``browser`` none is started, and only
    ``render="static"`` works.
    """

    def __init__(
        self,
        settings: ExtractorSettings | None = None,
        *,
        source: ResponseSource | None = None,
        browser: bool = True,
    ) -> None:
        self._browser = browser
        self.settings = settings or ExtractorSettings()
        large = Large(self.settings.map_nodes, self.settings.map_idle_s)
        recent = Recent(self.settings.recent_nodes, large)
        self.store = SnapshotStore(self.settings.data_dir / "snapshots", recent)
        self._source = source
        self.proxy = EgressProxy(self.settings, replay=source)
        self.pool = BrowserPool(self.settings, self.proxy)
        #: Pages that stay open.
        self.tabs = Tabs(self.settings, self.proxy, pages=self.pool, store=self.store)
        #: Bytes that all pages so far received from servers, as they came over the wire.
        self.received_bytes = 0

    async def __aenter__(self) -> Extractor:
        await self.proxy.start()
        if not self._browser:
            return self
        try:
            await self.pool.start()
        except BaseException:
            await self.proxy.close()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._browser:
            await asyncio.gather(self.tabs.close_all(), self.pool.close())
        await self.proxy.close()

    async def extract(
        self, request: PageRequest, *, tenant: str = "", behind: bool = False
    ) -> Page:
        """Fetch, capture and filter one page; its snapshot is in ``store`` when this returns.

        With a ``tenant`` it is in that tenant's part, ``store.of(tenant)``; browsers are shared fairly
        between tenants. ``behind``: it gets one when no other request waits for it.

        Raises:
            ExtractorError: see ``extractor.errors``; each has a stable code and a phase.
        """
        limit = min(request.deadline_s or self.settings.deadline_s, self.settings.deadline_s)
        deadline = asyncio.get_running_loop().time() + limit
        try:
            # What was captured by the deadline is worth a moment more.
            async with asyncio.timeout_at(deadline + _GRACE_S):
                return await self._extracted(request, deadline, tenant, behind=behind)
        except TimeoutError as error:
            raise DeadlineExceeded(
                "The page could not be filtered before the deadline.", phase="filter"
            ) from error

    async def _extracted(
        self, request: PageRequest, deadline: float, tenant: str, *, behind: bool
    ) -> Page:
        snapshot = await self.snapshot(request, deadline, tenant=tenant, behind=behind)
        store = self.store.of(tenant)
        options = self._options(request, store)
        entered("filter")
        started = time.perf_counter()
        try:
            async with asyncio.TaskGroup() as tasks:
                filtering = tasks.create_task(asyncio.to_thread(filtered, snapshot, options))
                if request.unfold:
                    tasks.create_task(asyncio.to_thread(store.save, snapshot))
        except ExceptionGroup as group:
            raise group.exceptions[0] from None  # its own trace says where it came from
        page = filtering.result()
        timings = dict(page.stats.timings_ms)
        timings["filter"] = round((time.perf_counter() - started) * 1000, 3)
        return replace(page, stats=replace(page.stats, timings_ms=timings))

    def _options(self, request: PageRequest, store: SnapshotStore) -> Options:
        key = store.fence_key() if request.fence else None
        return replace(options_of(request, key), sr_only_chars=self.settings.sr_only_chars)

    async def snapshot(
        self, request: PageRequest, deadline: float, *, tenant: str = "", behind: bool = False
    ) -> Snapshot:
        """The capture alone; ``deadline`` is in the event loop's time."""
        if request.html is not None:
            entered("parse")
            return await asyncio.to_thread(
                snapshot_of_html,
                request.html,
                request.base_url or "about:blank",
                self._reading(request),
            )
        if not self._browser and request.render != "static":
            raise BrowserMissing("This extractor was started without a browser: ask for static.")
        url = request.url or ""
        judge_url(url, self.settings.egress_rules)
        key = secrets.token_hex(8)
        ticket = _Ticket(key, deadline, tenant, behind)
        self.proxy.register(key, max_bytes=self.settings.max_page_bytes)
        try:
            if request.render == "browser" or request.render == "auto" and request.pictures:
                return await self._in_browser(request, ticket)
            fetched = await self._fetched(request, deadline)
            found = await asyncio.to_thread(needs_browser, fetched.body, fetched.content_type)
            if request.render == "auto" and found:
                snapshot = await self._in_browser(request, ticket)
            else:
                snapshot = await self._static(fetched, request)
            return snapshot if request.render == "static" else _chosen(snapshot, found)
        finally:
            self.received_bytes += (await self.proxy.forget(key)).bytes_in

    async def _in_browser(self, request: PageRequest, ticket: _Ticket) -> Snapshot:
        """A capture; a page that brings its renderer down gets one more try in a fresh context.

        A browser that goes away is not tried again: it took other requests with it, and this page may
        be the cause.
        """
        try:
            try:
                return await self._captured(request, ticket)
            except PageCrashed as crash:
                try:
                    return _retried(await self._captured(request, ticket), crash)
                except (Busy, DeadlineExceeded, PageUnresponsive) as late:
                    # There was no room for a second load: the crash is what the caller should know.
                    raise crash from late
        except NotHtml:
            return await self._static(await self._fetched(request, ticket.deadline), request)

    async def _captured(self, request: PageRequest, ticket: _Ticket) -> Snapshot:
        left = ticket.deadline - asyncio.get_running_loop().time()
        if left <= 0:
            raise DeadlineExceeded("The deadline passed before a browser was free.")
        options = context_options(request, self.pool.devices)
        key, deadline = ticket.key, ticket.deadline
        entered("queue")
        async with self.pool.lease(
            key, options, deadline=deadline, tenant=ticket.tenant, behind=ticket.behind
        ) as lease:
            entered("capture")
            return await capture(
                lease,
                request,
                settings=self.settings,
                deadline=deadline,
                proxy=self.proxy,
                key=key,
                source=self._source,
            )

    async def _fetched(self, request: PageRequest, deadline: float) -> Fetched:
        entered("fetch")
        limit = self.settings.max_document_bytes
        wished = {
            "user_agent": request.user_agent or self.settings.user_agent,
            "max_document_bytes": min(limit, request.max_bytes or limit),
        }
        fetched = await fetch(
            request.url or "",
            settings=self.settings.model_copy(update=wished),
            proxy=self.proxy,
            deadline=deadline,
            headers=request.own_headers(),
        )
        answered(Answer(fetched.final_url, fetched.status, fetched.raw_headers, fetched.body))
        return fetched

    def _reading(self, request: PageRequest) -> StaticOptions:
        size = WindowSize(request.viewport.width, request.viewport.height)
        return StaticOptions(
            viewport=size,
            max_nodes=self.settings.max_nodes,
            max_attributes=self.settings.max_attributes,
        )

    async def _static(self, fetched: Fetched, request: PageRequest) -> Snapshot:
        entered("parse")
        snapshot = await asyncio.to_thread(
            snapshot_from_bytes,
            fetched.body,
            url=fetched.url,
            final_url=fetched.final_url,
            content_type=fetched.content_type,
            status=fetched.status,
            redirects=fetched.redirects,
            disposition=fetched.headers.get("content-disposition"),
            options=self._reading(request),
        )
        if fetched.complete:
            return snapshot
        reason = fetched.incomplete_reason or "connection"
        meta = replace(snapshot.meta, complete=False, incomplete_reason=reason)
        return replace(snapshot, meta=meta)
