"""From a request to a snapshot, through a browser."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Protocol

from playwright.async_api import BrowserContext, CDPSession, Error, Page

from extractor.browser.frames import ContextLost, Documents, FrameLimits, read_frames
from extractor.browser.navigate import Egress, Until, failure_of, navigate, refusal_of
from extractor.browser.script import WORLD, ready_source
from extractor.browser.settle import SettleLimits, settle
from extractor.browser.watch import Caps, NotHtml, Refused, Watch, block_media
from extractor.compose import Composed, compose, snapshot_of
from extractor.egress.replay import ResponseSource, answer_from
from extractor.errors import (
    DeadlineExceeded,
    EmptyPage,
    PageUnresponsive,
    TooManyNavigations,
)
from extractor.request import PageRequest
from extractor.settings import ExtractorSettings
from extractor.snapshot import Notice, PageFact, Snapshot, SnapshotMeta, Wait

__all__ = ["NotHtml", "capture", "context_options"]

#: Kept back from the deadline to read the page: a share of the time left, at most this.
_RESERVE_S = 3.0
_RESERVE_SHARE = 0.3
_CLOSE_S = 2.0


class Lease(Protocol):
    """A browser context that is the caller's until it is given back."""

    @property
    def context(self) -> BrowserContext:
        """The context."""
        ...


def context_options(request: PageRequest) -> dict[str, Any]:
    """What a request asks of its browser context, by the names that Playwright uses."""
    options: dict[str, Any] = {
        "viewport": {"width": request.viewport.width, "height": request.viewport.height},
        "java_script_enabled": request.javascript,
    }
    for name, value in (
        ("locale", request.locale),
        ("timezone_id", request.timezone),
        ("user_agent", request.user_agent),
    ):
        if value is not None:
            options[name] = value
    return options


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

    def now(self) -> float:
        return asyncio.get_running_loop().time()


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
    of the network. The page is closed in any case. What a cap or the deadline cut short is returned
    with ``complete=False`` and the reason.

    Raises:
        NotHtml: the answer is PDF, JSON, an image, …: the static path takes it.
        DeadlineExceeded: nothing usable had arrived.
        ExtractorError: any other cause, typed.
    """
    if request.url is None:
        raise ValueError("capture needs a request with an address")
    try:
        async with asyncio.timeout_at(deadline):
            if source is not None:
                await answer_from(lease.context, source)
            page = await lease.context.new_page()
            session = await lease.context.new_cdp_session(page)
    except TimeoutError as error:
        raise DeadlineExceeded("no page could be opened in time") from error
    watch = Watch(page, session, _caps(request, settings))
    run = _Run(page, session, watch, request, settings, deadline)
    try:
        async with asyncio.timeout_at(deadline):
            return await _capture(run, proxy, key)
    except TimeoutError as error:
        raise PageUnresponsive("the page did not answer before the deadline") from error
    except Refused as refusal:
        raise refusal_of(str(refusal), watch, proxy.record(key)) from refusal
    except Error as error:
        raise failure_of(error, watch, proxy.record(key)) from error
    finally:
        await watch.stop()
        await _close(page)


async def _capture(run: _Run, proxy: Egress, key: str) -> Snapshot:
    started = run.now()
    await _prepare(run)
    reserve = min(_RESERVE_S, _RESERVE_SHARE * (run.deadline - run.now()))
    give_up = run.deadline - reserve
    until: Until = "domcontentloaded" if run.request.wait == "domcontentloaded" else "load"
    assert run.request.url is not None
    run.reached = await navigate(run.page, run.watch, run.request.url, until, give_up)
    loaded = run.now()
    if run.reached and not run.watch.cut:
        limits = SettleLimits(run.settings.settle_quiet_ms, int(run.settings.settle_cap_s * 1000))
        run.wait = await run.watch.guard(
            settle(run.page, run.watch, run.request.wait, limits, give_up)
        )
    else:
        run.wait = Wait("cap" if run.watch.cut else "deadline", ("load",))
        await _stop(run)
    settled = run.now()
    documents = await run.watch.guard(_read(run))
    read = run.now()
    composed = await asyncio.to_thread(compose, documents.main, documents.frames)
    timings = {
        "navigate": (loaded - started) * 1000,
        "settle": (settled - loaded) * 1000,
        "clone": (read - settled) * 1000,
        "compose": (run.now() - read) * 1000,
    }
    _check(run, composed)
    return snapshot_of(
        composed, _meta(run, documents, composed, proxy.record(key).blocked, timings)
    )


def _caps(request: PageRequest, settings: ExtractorSettings) -> Caps:
    document = settings.max_document_bytes
    return Caps(
        document_bytes=min(document, request.max_bytes) if request.max_bytes else document,
        page_bytes=settings.max_page_bytes,
        requests=settings.max_requests,
        redirects=settings.max_redirects,
        navigations=settings.max_navigations,
    )


async def _prepare(run: _Run) -> None:
    await run.watch.start()
    await asyncio.gather(
        run.session.send(
            "Page.addScriptToEvaluateOnNewDocument",
            {"source": ready_source(), "worldName": WORLD},
        ),
        block_media(run.session, run.request.block),
        _send_headers(run),
    )


async def _send_headers(run: _Run) -> None:
    """The caller's headers go to the first origin only, so each of its requests is paused and amended."""
    headers, url = run.request.headers, run.request.url
    if not headers or url is None:
        return
    scheme, _, rest = url.partition("://")
    host = rest.split("/", 1)[0].split("?", 1)[0].split("#", 1)[0].rpartition("@")[2]
    origin = f"{scheme}://{host}/"

    def amend(event: dict[str, Any]) -> None:
        own = dict(event["request"]["headers"])
        if str(event["request"]["url"]).lower().startswith(origin.lower()):
            lowered = {name.lower() for name in headers}
            own = {name: text for name, text in own.items() if name.lower() not in lowered}
            own |= headers
        listed = [{"name": name, "value": text} for name, text in own.items()]
        order = {"requestId": event["requestId"], "headers": listed}
        run.watch.spawn(run.session.send("Fetch.continueRequest", order))

    run.session.on("Fetch.requestPaused", amend)
    await run.session.send("Fetch.enable", {"patterns": [{"urlPattern": f"{origin}*"}]})


async def _stop(run: _Run) -> None:
    """End what still loads and runs, so that the page can be read."""
    await run.session.send("Page.stopLoading")
    await run.session.send("Runtime.terminateExecution")


async def _read(run: _Run) -> Documents:
    """The documents of the page; a page that moves on meanwhile is read once it has loaded."""
    limits = FrameLimits(run.settings.max_nodes, scripts=run.request.javascript)
    for _ in range(run.settings.max_navigations):
        try:
            return await read_frames(
                run.page, run.session, limits, run.deadline, refused=run.watch.refused_frames
            )
        except ContextLost:
            await run.page.wait_for_load_state("load")
    raise TooManyNavigations("the page did not stop moving on to other documents")


def _check(run: _Run, composed: Composed) -> None:
    document = run.watch.document
    empty = composed.nodes <= 3
    if empty and not run.reached:
        if run.watch.cut == "max_navigations":
            raise TooManyNavigations("the page navigated more often than max_navigations allows")
        raise DeadlineExceeded("nothing had arrived by the deadline")
    if empty and not document.received:
        raise EmptyPage("the server answered without a document", phase="navigate")
    start = composed.html.find("<body")
    if "%PDF-" in composed.html[start : start + 200]:
        raise NotHtml("application/pdf", document.url)


def _meta(
    run: _Run,
    documents: Documents,
    composed: Composed,
    blocked: list[tuple[str, str]],
    timings: dict[str, float],
) -> SnapshotMeta:
    record, document = composed.meta, run.watch.document
    notices = [
        *run.watch.notices(),
        *documents.notices,
        *(Notice(**item) for item in record.get("notices", ())),
        *(Notice("blocked_host", host) for host in dict.fromkeys(host for host, _ in blocked)),
    ]
    if record.get("surrogates"):
        notices.append(Notice("surrogate", "lone surrogates became U+FFFD", record["surrogates"]))
    if run.watch.cut:
        notices.append(Notice("cap", run.watch.cut))
    reason = run.watch.cut or (None if run.reached else "deadline")
    if reason is None and not record.get("complete", True):
        reason = "max_nodes"
    width, height = record.get("viewport", (0, 0))
    return SnapshotMeta(
        url=str(run.request.url),
        final_url=str(record.get("url") or document.url),
        render="browser",
        status=document.status or 200,
        redirects=tuple(document.redirects),
        content_type=document.content_type or "text/html",
        charset=str(record.get("charset", "utf-8")).lower(),
        title=str(record.get("title", "")),
        lang=str(record.get("lang", "")),
        captured_at=datetime.now(UTC).isoformat(timespec="seconds"),
        viewport=(int(width), int(height)),
        wait=run.wait,
        complete=reason is None,
        incomplete_reason=reason,
        notices=tuple(notices),
        raw_chars=max(int(record.get("raw_chars", 0)), document.received),
        nodes=composed.nodes,
        dropped=dict(record.get("dropped", {})),
        json_ld=tuple(record.get("json_ld", ())),
        unseen=tuple(PageFact(**fact) for fact in record.get("unseen", ())),
        timings_ms={stage: round(spent, 1) for stage, spent in timings.items()},
    )


async def _close(page: Page) -> None:
    try:
        async with asyncio.timeout(_CLOSE_S):
            await page.close()
    except (Error, TimeoutError):
        return  # the context is closed after us, and takes the page with it
