"""What happens on a page while it loads: requests, bytes, navigations, dialogs, crashes; and the caps."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar

from playwright.async_api import CDPSession, Dialog, Download, Error, Page

from extractor.browser.document import (
    Caps,
    MainDocument,
    PageStopped,
    Refused,
    is_download,
    no_page,
    refusal_in,
)
from extractor.browser.halt import halt, nodes_past, stay
from extractor.browser.handing import buffers
from extractor.browser.primer import Primer
from extractor.browser.tally import Tally
from extractor.errors import ExtractorError, PageCrashed, TooLarge, TooManyRedirects
from extractor.snapshot import Notice

_T = TypeVar("_T")
#: A page is stopped when it holds so many times the nodes that are read: nodes that scripts have thrown
#: away count until they are collected.
_NODES_SHARE = 3


class Watch:
    """Listens on a page from before its navigation to its end.

    ``shown`` says that a document is there. ``cut`` is the cap for which the page was stopped, or ``""``.
    ``guard`` awaits something while the page may turn out to be no page, or crash. ``cut_connections`` ends
    what the page has open.
    """

    def __init__(
        self,
        page: Page,
        session: CDPSession,
        caps: Caps,
        cut_connections: Callable[[], Awaitable[None]],
    ) -> None:
        self.page = page
        self.session = session
        self.caps = caps
        self.document = self._before = MainDocument()
        self.primer = Primer(session)
        self.cut = ""
        self.navigations = 0
        self.shown = False
        self.main_frame = ""
        self.refused_frames: dict[str, str] = {}
        self._cut_connections = cut_connections
        self._tally = Tally()
        self._fatal: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._stopped: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._halting: asyncio.Task[None] | None = None
        self._measuring: asyncio.Future[None] | None = None
        self._tasks: set[asyncio.Task[Any]] = set()
        self._requests = 0
        self._bytes = 0
        self._fetches: dict[str, str] = {}
        self._fetched: Counter[str] = Counter()

    async def start(self) -> None:
        """Begin to listen; call before the navigation."""
        for event, handler in (
            ("Network.requestWillBeSent", self._on_request),
            ("Network.responseReceived", self._on_response),
            ("Network.dataReceived", self._on_data),
            ("Network.loadingFinished", self._on_finished),
            ("Network.loadingFailed", self._on_failed),
            ("Page.frameNavigated", self._on_navigated),
            ("Page.windowOpen", self._on_window),
        ):
            self.session.on(event, handler)
        self.page.on("crash", lambda _page: self._fail(PageCrashed("the page crashed")))
        self.page.on("dialog", self._on_dialog)
        self.page.on("download", self._on_download)
        self.page.on("frameattached", lambda _frame: self._on_frame())
        self.page.on("worker", lambda _worker: self._on_worker())
        answers = await asyncio.gather(
            self.session.send("Page.getFrameTree"),
            self.session.send("Network.enable", buffers(self.caps)),
            self.session.send("Page.enable"),
            self.session.send("Performance.enable"),
        )
        self.main_frame = str(answers[0]["frameTree"]["frame"]["id"])
        self._measuring = self.spawn(self._measure())

    async def stop(self) -> None:
        """End what the watch itself started."""
        if not self._fatal.done():
            self._fatal.cancel()
        elif not self._fatal.cancelled():
            self._fatal.exception()
        self._stopped.cancel()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(self.primer.stop(), *self._tasks, return_exceptions=True)

    async def guard(self, awaitable: Awaitable[_T], *, stoppable: bool = False) -> _T:
        """Await; but raise at once what makes waiting pointless.

        Raises:
            NotHtml: the answer is something else.
            PageCrashed: the renderer died.
            DownloadError, TooLarge, TooManyRedirects: as named.
            PageStopped: ``stoppable``, and a cap was hit.
        """
        task: asyncio.Future[_T] = asyncio.ensure_future(awaitable)
        try:
            ends: set[asyncio.Future[Any]] = {task, self._fatal}
            if stoppable:
                ends.add(self._stopped)
            await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
            if self._fatal.done():
                self._fatal.result()
            if stoppable and self._stopped.done():
                raise PageStopped(self.cut)
            return await task
        finally:
            if not task.done():
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)

    @property
    def fetching(self) -> tuple[str, ...]:
        """Addresses that scripts are waiting for, polls left out."""
        return tuple(url for url in self._fetches.values() if self._fetched[url] < 3)

    @property
    def halted(self) -> bool:
        """Whether the page was told to stop."""
        return self._halting is not None

    def notices(self) -> list[Notice]:
        """Dialogs that were dismissed, windows and downloads that were refused."""
        return self._tally.notices()

    async def halt(self) -> None:
        """Stop the page, so that it can be read; returns in two seconds at the latest."""
        if self._halting is None:
            self._halting = asyncio.ensure_future(_quiet(self._halt()))
            self._tasks.add(self._halting)
        await asyncio.shield(self._halting)

    def spawn(self, work: Coroutine[Any, Any, Any]) -> asyncio.Future[None]:
        """Run something small beside the page; it ends with the watch at the latest."""
        task = asyncio.ensure_future(_quiet(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _halt(self) -> None:
        if self.cut == "max_navigations":
            # The last document has just begun, and is the one to be read.
            await stay(self.page, self.session)
        await halt(self.session, self._cut_connections)

    def _fail(self, error: Exception) -> None:
        if not self._fatal.done():
            self._fatal.set_exception(error)

    def _cut(self, reason: str) -> None:
        if not self.cut:
            self.cut = reason
            if reason == "max_dialogs":
                # A script that does nothing but ask is ended after a thousand dialogs only, and the driver
                # answers each of them sooner when nobody here listens.
                self.page.remove_listener("dialog", self._on_dialog)
            self.spawn(self.halt())
            if not self._stopped.done():
                self._stopped.set_result(None)

    def reading(self) -> None:
        """The page is read from now on: what the capture itself makes of it does not count."""
        if self._measuring is not None:
            self._measuring.cancel()

    async def _measure(self) -> None:
        await nodes_past(self.session, _NODES_SHARE * self.caps.nodes)
        self._cut("max_nodes")

    def _on_dialog(self, dialog: Dialog) -> None:
        if self._tally.add("dialog", f"{dialog.type}: {dialog.message}") > self.caps.dialogs:
            self._cut("max_dialogs")
        self.spawn(dialog.dismiss())

    def _on_window(self, event: dict[str, Any]) -> None:
        if self._tally.add("popup", str(event.get("url", ""))) > self.caps.popups:
            self._cut("max_popups")

    def _on_download(self, download: Download) -> None:
        if self._tally.add("download", download.url) > self.caps.popups:
            self._cut("max_popups")
        self.spawn(download.cancel())

    def _on_frame(self) -> None:
        if len(self.page.frames) > self.caps.frames:
            self._cut("max_frames")

    def _on_worker(self) -> None:
        if len(self.page.workers) > self.caps.workers:
            self._cut("max_workers")

    def _on_request(self, event: dict[str, Any]) -> None:
        kind, url = event.get("type"), str(event["request"]["url"])
        if kind == "Document" and event.get("frameId") == self.main_frame:
            self._on_document(event, url)
        elif kind in ("XHR", "Fetch"):
            self._fetches[event["requestId"]] = url.partition("?")[0]
            self._fetched[url.partition("?")[0]] += 1
        # What stands in the page itself is asked of nobody.
        self._requests += not url.startswith(("data:", "blob:"))
        if self._requests > self.caps.requests:
            self._cut("max_requests")

    def _on_document(self, event: dict[str, Any], url: str) -> None:
        document = self.document
        if "redirectResponse" in event:
            document.redirects.append(document.url)
            if len(document.redirects) > self.caps.redirects:
                self._fail(TooManyRedirects("more redirects than max_redirects allows"))
        else:
            self._before = document
            chain = [*document.redirects, document.url] if document.url else []
            self.document = document = MainDocument(redirects=chain)
        document.request_id, document.url = event["requestId"], url

    def _on_response(self, event: dict[str, Any]) -> None:
        if event.get("type") != "Document":
            return
        response = event["response"]
        headers = {str(k).lower(): str(v) for k, v in response["headers"].items()}
        refused = refusal_in(headers)
        if refused:
            self.refused_frames[str(event.get("frameId", ""))] = refused
        if event.get("requestId") != self.document.request_id:
            return
        if refused:
            self._fail(Refused(refused))
            return
        mime = str(response.get("mimeType", ""))
        if self.shown and is_download(headers, mime):
            # The document that is shown stays: its address leads on to a file.
            self._tally.add("download", self.document.url)
            self.document = self._before
            return
        self.document.status = int(response["status"])
        self.document.content_type = headers.get("content-type", "")
        self.document.headers = tuple((str(k), str(v)) for k, v in response["headers"].items())
        self.document.charset = str(response.get("charset", ""))
        reason = no_page(headers, mime, self.document.url)
        if reason is not None:
            self._fail(reason)

    def _on_data(self, event: dict[str, Any]) -> None:
        size = int(event["dataLength"])
        self._bytes += size
        if event["requestId"] == self.document.request_id:
            self.document.received += size
            if self.document.received > self.caps.document_bytes:
                self._cut("max_document_bytes")
                self._fail(TooLarge("the document is larger than max_document_bytes"))
        if self._bytes > self.caps.page_bytes:
            self._cut("max_page_bytes")

    def _on_finished(self, event: dict[str, Any]) -> None:
        self._fetches.pop(event["requestId"], None)

    def _on_failed(self, event: dict[str, Any]) -> None:
        self._fetches.pop(event["requestId"], None)
        if event["requestId"] == self.document.request_id:
            self.document.failure = str(event.get("errorText", ""))

    def _on_navigated(self, event: dict[str, Any]) -> None:
        frame = event["frame"]
        if frame["id"] != self.main_frame:
            return
        self.navigations += 1
        self.shown = True
        self.primer.prime(self.main_frame)
        if self.navigations > self.caps.navigations:
            self._cut("max_navigations")


async def _quiet(work: Coroutine[Any, Any, Any]) -> None:
    try:
        await work
    except (Error, ExtractorError):
        return  # the page is gone: there is nothing left to stop
