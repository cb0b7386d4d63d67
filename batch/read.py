"""From a task to its row: the one way that every engine reads a page.

robots → turn at the host → fetch or browser (redirects: from the start) → filter → rights → row
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace

import structlog
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception, stop_after_attempt

from batch.contents import filled, filter_used, options_of
from batch.readers import Readers
from batch.refusals import HttpStatus, RobotsUnreachable, pause_s
from batch.rights import NOT_ASKED, Document, rights_record
from batch.rows import Json, Row, RowError, Source
from batch.task import ArchivedResponse, Task
from batch.visit import Visit, header, now
from extractor.answers import Answer
from extractor.errors import ExtractorError
from extractor.page import Page
from extractor.pipeline import filtered
from extractor.snapshot import Snapshot
from extractor.static import StaticOptions, snapshot_from_bytes

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
    return Reading(work.row, None if task.response else work.visit.answer)


class _Work:
    """One task under way. ``visit`` is the latest try; ``row`` is what is known apart from it."""

    def __init__(self, task: Task, readers: Readers) -> None:
        self.readers = readers
        self.task = task
        self.row = Row(task.index, task.key, task.url, fields=task.fields)
        self.visit = Visit(readers)

    async def run(self) -> None:
        if self.task.response is not None:
            await self._replayed(self.task.response)
            return
        pace = self.readers.plan.pace
        tries = AsyncRetrying(
            stop=stop_after_attempt(1 + pace.retries),
            retry=retry_if_exception(_may_work_soon),
            wait=lambda state: pause_s(state, pace),
            before=self._begin,
            reraise=True,
        )
        async for attempt in tries:
            with attempt:
                await self._visited()

    def _begin(self, state: RetryCallState) -> None:
        self.row = replace(self.row, attempts=state.attempt_number)
        self.visit = Visit(self.readers)

    async def _visited(self) -> None:
        visit = self.visit
        try:
            snapshot = await visit.capture(self.task.url)
            await self._fill(snapshot, snapshot.meta.render)
        finally:
            visit.give_room()

    async def _replayed(self, response: ArchivedResponse) -> None:
        source = Source(response.archive, response.offset, response.record_id)
        self.row = replace(self.row, source=source, fetched_at=response.fetched_at or None)
        visit = self.visit
        await visit.take_room()
        try:
            answer = Answer(response.url, response.status, response.headers, response.body)
            visit.hear(answer)
            await self._fill(await self._archived(answer), "archive")
        finally:
            visit.give_room()

    async def _archived(self, answer: Answer) -> Snapshot:
        settings = self.readers.extractor.settings
        limits = StaticOptions(max_nodes=settings.max_nodes, max_attributes=settings.max_attributes)
        return await asyncio.to_thread(
            snapshot_from_bytes,
            answer.body,
            url=self.task.url,
            final_url=answer.url,
            content_type=header(answer, "content-type"),
            status=answer.status,
            disposition=header(answer, "content-disposition") or None,
            options=limits,
        )

    async def _fill(self, snapshot: Snapshot, render: str) -> None:
        """Filter the capture, and have the row say what came of it."""
        content = self.readers.plan.content
        options = options_of(content, self.readers.extractor.settings)
        page: Page = await asyncio.to_thread(filtered, snapshot, options)
        row = replace(self._reached(), render=render, filter=filter_used(content.filter))
        if self.visit.answer is None:
            # A browser let go of the body: what is known of the answer stands in the capture.
            row = replace(row, status=page.status, fetched_at=now())
        row = filled(row, page, self.visit.answer)
        rights = await asyncio.to_thread(self._rights, row)
        self.row = replace(row, redirects=(*self.visit.hops, *page.redirects), rights=rights)

    def failed(self, error: ExtractorError) -> None:
        """Have the row say why there is no page."""
        code = error.code_now if isinstance(error, HttpStatus) else error.code
        found = RowError(code, error.message, error.phase, error.retryable)
        self.row = replace(self._reached(), error=found)
        if self.visit.answer is not None or self.visit.decision is not NOT_ASKED:
            self.row = replace(self.row, rights=self._rights(self.row))

    def _reached(self) -> Row:
        """The row with how far the latest try got."""
        visit, answer = self.visit, self.visit.answer
        row = replace(self.row, redirects=tuple(visit.hops))
        if answer is None:
            return row
        fetched_at = row.fetched_at or visit.answered_at
        return replace(row, final_url=answer.url, status=answer.status, fetched_at=fetched_at)

    def _rights(self, row: Row) -> Json:
        visit, answer = self.visit, self.visit.answer
        document = Document(
            url=answer.url if answer else row.final_url or row.url,
            headers=answer.headers if answer else (),
            body=answer.body if answer else b"",
            fetched_at=row.fetched_at or "",
            # What a browser gives is text already, whatever the headers say.
            markup=answer.body.decode() if answer and answer.text else None,
        )
        agent = self.readers.plan.manners.agent
        return Json(rights_record(document, agent=agent, robots=visit.decision, site=visit.site))


def _may_work_soon(error: BaseException) -> bool:
    """Whether another try within minutes makes sense. robots.txt that cannot be had is remembered longer."""
    if isinstance(error, RobotsUnreachable) or not isinstance(error, ExtractorError):
        return False
    return error.retryable
