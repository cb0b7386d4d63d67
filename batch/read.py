"""From a task to its row: the one way that every engine reads a page.

robots → turn at the host → fetch or browser (redirects: from the start) → filter → rights → row
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from urllib.parse import urldefrag

import structlog
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception, stop_after_attempt

from batch.contents import filled, filter_used, options_of
from batch.readers import Readers
from batch.refusals import HttpStatus, Moved, RobotsDisallowed, RobotsUnreachable, pause_s
from batch.rights import NOT_ASKED, Document, Reservation, RobotsDecision, rights_record
from batch.rows import Json, Row, RowError, Source
from batch.task import ArchivedResponse, Task
from extractor.answers import Answer, hearing
from extractor.egress.policy import judge_url
from extractor.errors import ExtractorError, TooManyRedirects
from extractor.page import Page
from extractor.pipeline import filtered
from extractor.request import PageRequest
from extractor.snapshot import Snapshot
from extractor.static import StaticOptions, needs_browser, snapshot_from_bytes

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Reading:
    """A row, and the answer that it was read from where one came over the network."""

    row: Row
    answer: Answer | None = None


async def read(task: Task, readers: Readers) -> Reading:
    """The row of one task. What goes wrong with a page is in its row; nothing is raised for it."""
    work = _Work(task, readers)
    try:
        await work.run()
    except ExtractorError as error:
        work.failed(error)
    except Exception:
        # A fault of ours with one page must not cost the others theirs.
        _log.exception("page_failed", index=task.index)
        found = RowError(ExtractorError.code, "Reading the page failed.", "filter", retryable=False)
        work.row = replace(work.row, error=found)
    return Reading(work.row, None if task.response else work.answer)


class _Work:
    """One task under way. ``row`` says at any time what is known so far."""

    def __init__(self, task: Task, readers: Readers) -> None:
        self.readers = readers
        self.task = task
        self.row = Row(task.index, task.key, task.url, fields=task.fields)
        self.answer: Answer | None = None
        self._hops: list[str] = []
        self._decision: RobotsDecision = NOT_ASKED
        self._site: Reservation | None = None
        self._holds_room = False

    async def run(self) -> None:
        try:
            if self.task.response is not None:
                await self._take_room()
                await self._fill(await self._archived(self.task.response), "archive")
            else:
                await self._with_retries()
        finally:
            self._give_room()

    async def _with_retries(self) -> None:
        pace = self.readers.plan.pace
        tries = AsyncRetrying(
            stop=stop_after_attempt(1 + pace.retries),
            retry=retry_if_exception(_may_work_soon),
            wait=lambda state: pause_s(state, pace),
            before=self._begin,
            reraise=True,
        )
        async for attempt in tries:
            with attempt, self._room_given():
                snapshot = await self._fetched()
                await self._fill(snapshot, snapshot.meta.render)

    def _begin(self, state: RetryCallState) -> None:
        self.row = replace(self.row, attempts=state.attempt_number)
        self.row = replace(self.row, fetched_at=None)
        self.answer = None
        self._hops = []

    async def _fetched(self) -> Snapshot:
        url, limit = self.task.url, self.readers.extractor.settings.max_redirects
        while True:
            try:
                return await self._captured(url)
            except Moved as moved:
                self._give_room()
                self._hops.append(url)
                if len(self._hops) > limit:
                    raise TooManyRedirects(f"More than max_redirects ({limit}).") from moved
                url = moved.url

    async def _captured(self, url: str) -> Snapshot:
        """One address without its redirects; as the plan says, in a browser or not."""
        render = self.readers.plan.content.render
        if render == "browser":
            return await self._asked(url, "browser")
        snapshot = await self._asked(url, "static")
        answer = self.answer
        if render == "static" or answer is None:
            return snapshot
        kind = _header(answer, "content-type")
        if not await asyncio.to_thread(needs_browser, answer.body, kind):
            return snapshot
        self._give_room()
        return await self._asked(url, "browser")

    async def _asked(self, url: str, render: str) -> Snapshot:
        readers = self.readers
        url = judge_url(url, readers.extractor.settings.egress_rules).url
        delay_s = await self._permitted(url)
        request = PageRequest(url=url, render=render, unfold=False)
        async with readers.turns.turn(url, delay_s, self._take_room):
            deadline = asyncio.get_running_loop().time() + readers.extractor.settings.deadline_s
            with hearing(self._hear, self._follow):
                snapshot = await readers.extractor.snapshot(request, deadline)
        # A browser follows redirects without asking.
        for reached in (*snapshot.meta.redirects[1:], snapshot.meta.final_url):
            if urldefrag(reached).url != urldefrag(url).url:
                self._give_room()
                await self._permitted(reached)
        if not self._holds_room:
            await self._take_room()
        return snapshot

    async def _permitted(self, url: str) -> float:
        """Seconds between pages that the host wants. Nothing is held meanwhile: it may have to be asked.

        Raises:
            RobotsDisallowed, RobotsUnreachable: the address may not be fetched.
        """
        robots, tdm = self.readers.robots, self.readers.tdm
        if robots is not None:
            self._decision = decision = await robots.allowed(url)
            if not decision.allowed and decision.state == "unreachable":
                raise RobotsUnreachable(decision.error)
            if not decision.allowed:
                raise RobotsDisallowed("robots.txt does not allow this address.")
        if tdm is not None:
            self._site = await tdm.reservation(url)
        return self._decision.crawl_delay_s or 0.0

    def _hear(self, answer: Answer) -> None:
        self.answer = answer
        self.row = replace(
            self.row,
            final_url=answer.url,
            status=answer.status,
            fetched_at=self.row.fetched_at or _now(),
            redirects=tuple(self._hops),
        )
        if not 200 <= answer.status < 300:
            raise HttpStatus(answer.status, _header(answer, "retry-after"))

    async def _follow(self, url: str) -> None:
        raise Moved(url)

    async def _archived(self, response: ArchivedResponse) -> Snapshot:
        source = Source(response.archive, response.offset, response.record_id)
        self.row = replace(self.row, source=source, fetched_at=response.fetched_at or None)
        self._hear(Answer(response.url, response.status, response.headers, response.body))
        assert self.answer is not None
        settings = self.readers.extractor.settings
        return await asyncio.to_thread(
            snapshot_from_bytes,
            response.body,
            url=self.task.url,
            final_url=response.url,
            content_type=_header(self.answer, "content-type"),
            status=response.status,
            disposition=_header(self.answer, "content-disposition") or None,
            options=StaticOptions(
                max_nodes=settings.max_nodes, max_attributes=settings.max_attributes
            ),
        )

    async def _fill(self, snapshot: Snapshot, render: str) -> None:
        """Filter the capture, and have the row say what came of it."""
        content, answer = self.readers.plan.content, self.answer
        options = options_of(content, self.readers.extractor.settings)
        page: Page = await asyncio.to_thread(filtered, snapshot, options)
        row = replace(
            self.row,
            render=render,
            redirects=(*self._hops, *page.redirects),
            filter=filter_used(content.filter),
        )
        if answer is None:
            # A browser let go of the body: what is known of the answer stands in the capture.
            row = replace(row, status=page.status, fetched_at=_now())
        self.row = filled(row, page, answer)
        self.row = replace(self.row, rights=await asyncio.to_thread(self._rights, page.final_url))

    def failed(self, error: ExtractorError) -> None:
        """Have the row say why there is no page."""
        code = error.code_now if isinstance(error, HttpStatus) else error.code
        found = RowError(code, error.message, error.phase, error.retryable)
        self.row = replace(self.row, error=found)
        if self.answer is not None or self._decision is not NOT_ASKED:
            self.row = replace(self.row, rights=self._rights(self.task.url))

    def _rights(self, url: str) -> Json:
        answer = self.answer
        document = Document(
            url=answer.url if answer else url,
            headers=answer.headers if answer else (),
            body=answer.body if answer else b"",
            fetched_at=self.row.fetched_at or "",
            # What a browser gives is text already, whatever the headers say.
            markup=answer.body.decode() if answer and answer.text else None,
        )
        agent = self.readers.plan.manners.agent
        return Json(rights_record(document, agent=agent, robots=self._decision, site=self._site))

    async def _take_room(self) -> None:
        await self.readers.room.acquire()
        self._holds_room = True

    def _give_room(self) -> None:
        if self._holds_room:
            self._holds_room = False
            self.readers.room.release()

    @contextmanager
    def _room_given(self) -> Iterator[None]:
        """Nobody waits for another try, or for another host, with room that others could use."""
        try:
            yield
        finally:
            self._give_room()


def _may_work_soon(error: BaseException) -> bool:
    """Whether another try within minutes makes sense. robots.txt that cannot be had is remembered longer."""
    if isinstance(error, RobotsUnreachable) or not isinstance(error, ExtractorError):
        return False
    return error.retryable


def _header(answer: Answer, name: str) -> str:
    """The last header of that name, or empty."""
    found = [value for key, value in answer.headers if key.lower() == name]
    return found[-1] if found else ""


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
