"""Takes pages of jobs from the queue for as long as the service runs, and hands back what it cannot end."""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

import sqlalchemy as sa
import structlog

from api.errors import CATALOGUE, problem
from api.jobs.claims import ClaimRule, claim, open_pages
from api.jobs.ending import Outcome, end_page
from api.jobs.forgetting import drop_orphans
from api.jobs.leases import Claim, expired, hand_back, put_back, renew
from api.jobs.reads import Read, Reader
from api.jobs.results import ResultStore
from api.jobs.settings import JobSettings
from api.jobs.writing import now_ms
from api.metrics import Metrics
from api.threads import run_to_end

_log = structlog.get_logger("pagefold.jobs")
#: The longest wait before a page is read again.
_MOST_BACKOFF_S = 3600.0


@dataclass(frozen=True, slots=True)
class Work:
    """What a runner works with. ``seal``: name of the key that jobs must be sealed with; ``idle``:
    whether there is room for pages of jobs now.
    """

    engine: sa.Engine
    settings: JobSettings
    seal: str
    reader: Reader
    results_of: Callable[[str], ResultStore]
    metrics: Metrics
    idle: Callable[[], bool]


class Runner:
    """The pages of jobs that this process reads."""

    def __init__(self, work: Work) -> None:
        settings = work.settings
        self._work = work
        self._rule = ClaimRule(
            secrets.token_hex(16),
            work.seal,
            round(settings.job_lease_s * 1000),
            settings.job_host_concurrency,
            round(settings.job_host_interval_s * 1000),
        )
        self._running: dict[tuple[str, int], tuple[Claim, asyncio.Task[None]]] = {}
        #: Pages that were cancelled while they may have been on their way to us.
        self._stopped: set[tuple[str, int]] = set()
        self._woken = asyncio.Event()
        #: Pages of all jobs that had not ended when they were last counted.
        self.open_pages = 0

    @property
    def running(self) -> int:
        """Pages that are being read."""
        return len(self._running)

    def wake(self) -> None:
        """Look for pages now: there may be new ones."""
        self._woken.set()

    def stop_pages(self, job_id: str, positions: list[int]) -> None:
        """End pages of a job that was cancelled, where this process reads them."""
        for position in positions:
            if (found := self._running.get((job_id, position))) is not None:
                found[1].cancel()
            else:
                self._stopped.add((job_id, position))

    async def run(self) -> None:
        """Read pages until cancelled; those that run then wait again, for whoever comes next."""
        keeping = asyncio.create_task(self._keep_leases())
        try:
            while True:
                self._woken.clear()
                try:
                    await self._take_more()
                except Exception:  # a full disk or a lost database must not end it
                    _log.exception("jobs_unreadable")
                try:
                    async with asyncio.timeout(self._work.settings.job_poll_s):
                        await self._woken.wait()
                except TimeoutError:
                    continue
        finally:
            keeping.cancel()
            running = [task for _, task in self._running.values()]
            for task in running:
                task.cancel()
            await asyncio.gather(keeping, *running, return_exceptions=True)
            await run_to_end(lambda: hand_back(self._work.engine, self._rule.worker, now_ms()))

    async def _take_more(self) -> None:
        self.open_pages = await run_to_end(lambda: open_pages(self._work.engine))
        free = self._work.settings.job_places - len(self._running)
        if free <= 0 or not self._work.idle():
            return
        engine, now = self._work.engine, now_ms()
        self._stopped.clear()
        for each in await run_to_end(lambda: claim(engine, self._rule, free, now)):
            if each.key in self._stopped:
                continue
            task = asyncio.create_task(self._read(each))
            self._running[each.key] = (each, task)

    async def _read(self, each: Claim) -> None:
        log = structlog.contextvars.bound_contextvars(job=each.job_id, tenant=each.tenant or None)
        try:
            with log:
                read = await self._work.reader.read(each)
                await self._enter(each, read)
        except Exception:  # a full disk or a lost database: the page has not been read then
            _log.exception("job_page_not_entered")
            await self._try_later(each)
        finally:
            self._running.pop(each.key, None)
            self.wake()

    async def _try_later(self, each: Claim) -> None:
        at = now_ms() + round(self._work.settings.job_backoff_s * 1000)
        with suppress(Exception):  # then it waits until its lease has ended
            await run_to_end(lambda: put_back(self._work.engine, each, at, counts=False))

    async def _enter(self, each: Claim, read: Read) -> None:
        settings, engine = self._work.settings, self._work.engine
        if read.again and (not read.counts or each.tries < settings.job_tries):
            backoff_s = settings.job_backoff_s * 2.0 ** (each.tries - 1)
            wait_s = min(backoff_s, _MOST_BACKOFF_S) if read.counts else read.wait_s
            at = now_ms() + round(wait_s * 1000)
            await run_to_end(lambda: put_back(engine, each, at, counts=read.counts))
            self._work.metrics.job_page("again")
            return
        state = await run_to_end(lambda: self._written(each, read))
        if state is not None:
            self._work.metrics.job_page("failed" if read.problem else "done")
        if state == "completed":
            self._work.metrics.job(state)
            _log.info("job_ended", state=state)

    def _written(self, each: Claim, read: Read) -> str | None:
        outcome = Outcome(problem=read.problem)
        if read.page is not None:
            results = self._work.results_of(each.tenant)
            name = results.put(each.job_id, each.position, read.page)
            outcome = Outcome(result=name, result_bytes=len(read.page))
        state = end_page(self._work.engine, each, outcome, now_ms())
        if state is None and outcome.result is not None:
            drop_orphans(self._work.engine, self._work.results_of, each.job_id, each.tenant)
        return state

    async def _keep_leases(self) -> None:
        while True:
            await asyncio.sleep(self._rule.lease_ms / 3000)
            try:
                await self._renew()
                await run_to_end(self._free_expired)
            except Exception:
                _log.exception("leases_not_renewed")

    async def _renew(self) -> None:
        held = [each for each, _ in self._running.values()]
        until = now_ms() + self._rule.lease_ms
        for lost in await run_to_end(lambda: renew(self._work.engine, held, until)):
            if (found := self._running.get(lost.key)) is not None and found[0] == lost:
                found[1].cancel()

    def _free_expired(self) -> None:
        """Let pages wait again whose process has died; one that did so too often has failed."""
        for each in expired(self._work.engine, now_ms()):
            _log.warning("job_page_left", job=each.job_id, tries=each.tries)
            if each.tries < self._work.settings.job_tries:
                put_back(self._work.engine, each, now_ms(), counts=True)
                continue
            answer = problem("worker_lost", f"{CATALOGUE['worker_lost'][1]}.", retryable=True)
            outcome = Outcome(problem=json.loads(bytes(answer.body)))
            end_page(self._work.engine, each, outcome, now_ms())
