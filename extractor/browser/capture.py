"""From a request to a snapshot, through a browser."""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from playwright.async_api import BrowserContext, CDPSession, Error, Page

from extractor.browser.blocked import blocked_notices
from extractor.browser.blocking import block_media
from extractor.browser.cookies import add_cookies
from extractor.browser.document import NotHtml, PageStopped, Refused
from extractor.browser.first_origin import send_headers
from extractor.browser.frames import Documents, read_frames
from extractor.browser.handing import hand_over
from extractor.browser.lease import Lease
from extractor.browser.limits import caps_of, frame_limits, settle_limits, steer_limits
from extractor.browser.navigate import Egress, Until, failure_of, navigate, refusal_of
from extractor.browser.options import context_options, origin_of
from extractor.browser.pictures import take_pictures
from extractor.browser.record import Course, record_of
from extractor.browser.script import WORLD, ready_source
from extractor.browser.settle import BUSY, settle
from extractor.browser.steer import steer
from extractor.browser.watch import Watch
from extractor.browser.world import ContextLost, World
from extractor.compose import Composed, compose, snapshot_of
from extractor.egress.record import EgressRecord
from extractor.egress.replay import ResponseSource, answer_from
from extractor.errors import (
    DeadlineExceeded,
    EmptyPage,
    ExtractorError,
    InvalidRequest,
    PageCrashed,
    PageUnresponsive,
    TooLarge,
    TooManyNavigations,
)
from extractor.request import PageRequest
from extractor.settings import ExtractorSettings
from extractor.snapshot import Notice, Snapshot, Wait

__all__ = ["NotHtml", "capture", "context_options"]

#: Kept back from the deadline to read the page: a share of the time left, at most this.
_RESERVE_S = 3.0
_RESERVE_SHARE = 0.3


@dataclass(slots=True)
class _Run:
    page: Page
    session: CDPSession
    watch: Watch
    request: PageRequest
    settings: ExtractorSettings
    deadline: float
    wait: Wait = field(default_factory=Wait)
    reached: bool = True
    cap: str = ""
    notices: list[Notice] = field(default_factory=list)
    timings: dict[str, float] = field(default_factory=dict)
    lap_at: float = 0.0

    def now(self) -> float:
        return asyncio.get_running_loop().time()

    def lap(self, stage: str) -> None:
        """Note the milliseconds since the last lap."""
        now = self.now()
        self.timings[stage], self.lap_at = (now - self.lap_at) * 1000, now


async def capture(
    lease: Lease,
    request: PageRequest,
    *,
    settings: ExtractorSettings,
    deadline: float,
    proxy: Egress,
    key: str,
    source: ResponseSource | None = None,
) -> Snapshot:
    """Load ``request.url`` in a page of its own and take its snapshot.

    ``deadline`` is absolute, in the event loop's time; it covers everything. ``source`` answers instead
    of the network. The page ends with its context, which is the caller's. What a cap or the deadline
    cut short is returned with ``complete=False`` and the reason.

    Raises:
        NotHtml: the answer is PDF, JSON, an image, …: the static path takes it.
        DeadlineExceeded: nothing usable had arrived.
        TooLarge: the document, or what it makes of the renderer, is larger than a setting allows.
        ExtractorError: any other cause, typed.
    """
    if request.url is None:
        raise ValueError("capture needs a request with an address")
    try:
        async with asyncio.timeout_at(deadline):
            page, session = await _open(lease.context, request, source)
    except TimeoutError as error:
        raise DeadlineExceeded("no page could be opened in time") from error
    watch = Watch(page, session, caps_of(request, settings), lambda: proxy.cut(key))
    run = _Run(page, session, watch, request, settings, deadline)
    try:
        async with asyncio.timeout_at(deadline):
            return await _capture(run, proxy, key)
    except TimeoutError as error:
        raise PageUnresponsive("the page did not answer before the deadline") from error
    except Refused as refusal:
        raise refusal_of(str(refusal), watch, proxy.record(key)) from refusal
    except PageCrashed as crash:
        raise because(crash, lease.crash_cause()) from crash
    except Error as error:
        failure = failure_of(error, watch, proxy.record(key))
        cause = lease.crash_cause() if isinstance(failure, PageCrashed) else ""
        raise because(failure, cause) from error
    finally:
        await watch.stop()


def because(failure: ExtractorError, bound: str) -> ExtractorError:
    """A crash for which a renderer was ended is no accident: the next try would end the same way."""
    if not bound:
        return failure
    return TooLarge(f"the page takes more of its renderer than {bound} allows", detail=bound)


async def _open(
    context: BrowserContext, request: PageRequest, source: ResponseSource | None
) -> tuple[Page, CDPSession]:
    if source is not None:
        await answer_from(context, source)
    try:
        page = await context.new_page()
    except Error as error:
        for name in ("timezone", "locale"):
            if getattr(request, name) is not None and name in str(error).lower():
                raise InvalidRequest(f"{name}: the browser does not know it", field=name) from error
        raise
    session = await context.new_cdp_session(page)
    await add_cookies(session, request)
    return page, session


async def _capture(run: _Run, proxy: Egress, key: str) -> Snapshot:
    run.lap_at = run.now()
    await _prepare(run)
    reserve = min(_RESERVE_S, _RESERVE_SHARE * (run.deadline - run.now()))
    give_up = run.deadline - reserve
    until: Until = "domcontentloaded" if run.request.wait == "domcontentloaded" else "load"
    run.reached = await navigate(run.page, run.watch, str(run.request.url), until, give_up)
    run.lap("navigate")
    await _settle(run, give_up)
    run.lap("settle")
    await _steer(run, give_up)
    run.watch.reading()
    documents = await run.watch.guard(_read(run))
    run.cap = run.cap or documents.cut
    await hand_over(run.session, run.watch.document)
    run.lap("clone")
    pictures = await take_pictures(run.page, run.request.pictures, run.watch, run.deadline)
    composed = await asyncio.to_thread(compose, documents.main, documents.frames)
    run.lap("compose")
    seen = proxy.record(key)
    _check(run, composed, seen)
    blocked = blocked_notices(seen, run.settings.max_blocked_hosts)
    course = Course(
        url=str(run.request.url),
        reached=run.reached,
        wait=run.wait,
        cap=run.cap,
        notices=(*run.notices, *documents.notices, *pictures.notices, *blocked),
        timings_ms=run.timings,
    )
    meta = record_of(course, run.watch, composed.meta, composed.nodes)
    return snapshot_of(composed, meta, pictures.files)


async def _settle(run: _Run, give_up: float) -> None:
    if run.reached and not run.watch.cut:
        wait = settle(run.page, run.watch, run.request.wait, settle_limits(run.settings), give_up)
        with contextlib.suppress(PageStopped):
            run.wait = await run.watch.guard(wait, stoppable=True)
            if run.wait.pending[:1] == (BUSY,):
                await _end_scripts(run)
            return
    run.wait = Wait("cap" if run.watch.cut else "deadline", ("load",))
    # End what still loads and runs, so that the page can be read.
    await run.watch.halt()


async def _end_scripts(run: _Run) -> None:
    """A script holds the page and would keep it from being read."""
    await run.watch.halt()
    run.cap = run.cap or BUSY
    run.notices.append(Notice(BUSY, "a script that held the page was ended"))


async def _steer(run: _Run, give_up: float) -> None:
    request = run.request
    if not run.reached or run.cap or run.watch.cut or not (request.expand or request.scroll):
        return
    steering = steer(
        run.watch,
        steer_limits(request, run.settings, give_up),
        expand=request.expand,
        scroll=request.scrolling,
    )
    with contextlib.suppress(PageStopped):
        done = await run.watch.guard(steering, stoppable=True)
        run.cap = done.cap
        run.notices += done.notices
    run.lap("steer")


async def _prepare(run: _Run) -> None:
    request, session = run.request, run.session
    await asyncio.gather(
        run.watch.start(),
        session.send(
            "Page.addScriptToEvaluateOnNewDocument",
            {"source": ready_source(), "worldName": WORLD},
        ),
        block_media(session, request.blocked(by_default=run.settings.block_media)),
        send_headers(session, run.watch, origin_of(str(request.url)), request.headers),
    )


async def _read(run: _Run) -> Documents:
    """The documents of the page; a page that moves on meanwhile is read once it has loaded.

    A page that does not let itself be read in time is stopped, and read then.
    """
    for _ in range(run.settings.max_navigations):
        try:
            with contextlib.suppress(PageUnresponsive):
                return await _read_once(run)
            run.watch.primer.forget()
            await _end_scripts(run)
            return await _read_once(run)
        except ContextLost:
            run.watch.primer.forget()
            await run.page.wait_for_load_state("load")
    raise TooManyNavigations("the page did not stop moving on to other documents")


async def _read_once(run: _Run) -> Documents:
    return await read_frames(
        run.page,
        run.session,
        frame_limits(run.request, run.settings),
        run.deadline,
        refused=run.watch.refused_frames,
        primed=await _world(run),
    )


async def _world(run: _Run) -> World:
    """The main document's world; a script that keeps it from being made gets a quarter of the time."""
    patience = run.now() + (run.deadline - run.now()) / 4
    try:
        async with asyncio.timeout_at(patience):
            return await run.watch.primer.world(run.watch.main_frame, run.deadline)
    except TimeoutError as error:
        raise PageUnresponsive("a script does not let go of the page") from error


def _check(run: _Run, composed: Composed, seen: EgressRecord) -> None:
    document = run.watch.document
    empty = composed.nodes <= 3
    if empty and not run.reached:
        if run.watch.cut == "max_navigations":
            raise TooManyNavigations("the page navigated more often than max_navigations allows")
        raise DeadlineExceeded("nothing had arrived by the deadline")
    if empty and not document.received:
        # A page that moved on to an address that could not be had leaves nothing to read.
        if document.failure and (cause := seen.error_for(urlsplit(document.url).hostname or "")):
            raise cause
        raise EmptyPage("the server answered without a document", phase="navigate")
    start = composed.html.find("<body")
    if "%PDF-" in composed.html[start : start + 200]:
        raise NotHtml("application/pdf", document.url)
