"""The engine of one machine: one event loop over the browser pool."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

from batch.engine.engine import Sink
from batch.errors import BatchError
from batch.plan import Plan
from batch.read import read
from batch.readers import Readers, open_readers
from batch.task import Task
from extractor.settings import ExtractorSettings


class LocalEngine:
    """Reads within this process. Implements ``Engine``.

    Lines of the input wait for their hosts beside each other, up to ``lookahead`` of them, so that a slow
    host holds up nobody else; archived answers, which have to be held in memory, wait in far smaller number.
    """

    def __init__(self, settings: ExtractorSettings | None = None) -> None:
        self._settings = settings

    async def run(self, tasks: Iterator[Task], plan: Plan, sink: Sink) -> None:
        """See ``Engine``."""
        async with open_readers(plan, self._settings) as readers:
            try:
                await _run(tasks, readers, sink)
            except BaseExceptionGroup as group:
                raise _what_counts(group) from group


async def _run(tasks: Iterator[Task], readers: Readers, sink: Sink) -> None:
    pace = readers.plan.pace
    waiting = asyncio.Semaphore(max(pace.lookahead, pace.concurrency))
    held = asyncio.Semaphore(2 * pace.concurrency)

    async def done(task: Task, place: asyncio.Semaphore) -> None:
        try:
            await sink.put(await read(task, readers))
        finally:
            waiting.release()
            if place is held:
                held.release()

    async with asyncio.TaskGroup() as group:
        while True:
            await waiting.acquire()
            task = await asyncio.to_thread(next, tasks, None)
            if task is None:
                return
            place = held if task.response is not None else waiting
            if place is held:
                await held.acquire()
            group.create_task(done(task, place))


def _what_counts(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """The error of ours that ended the run; else all of them."""
    known = group.subgroup(BatchError)
    error: BaseException = group if known is None else known
    while isinstance(error, BaseExceptionGroup) and known is not None:
        error = error.exceptions[0]
    return error
