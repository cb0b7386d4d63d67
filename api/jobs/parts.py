"""What the routes of jobs need, and the work that goes on behind them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import cache

import sqlalchemy as sa
import structlog

from api.drain import Drain
from api.jobs.deliveries import Post, keep_sending
from api.jobs.forgetting import forget_old
from api.jobs.reads import Reader
from api.jobs.results import ResultStore, results_of
from api.jobs.runner import Runner, Work
from api.jobs.sealing import Seal, seal_of
from api.jobs.writing import now_ms
from api.metrics import Metrics
from api.settings import ApiSettings
from api.threads import run_to_end
from extractor.extract import Extractor

_log = structlog.get_logger("pagefold.jobs")


class Jobs:
    """Everything of jobs in one process. ``running`` reads pages and sends messages."""

    def __init__(
        self, settings: ApiSettings, engine: sa.Engine, metrics: Metrics, drain: Drain
    ) -> None:
        """Raises OSError when the data folder cannot be written."""
        self.settings, self.engine, self.metrics, self.drain = settings, engine, metrics, drain
        self.seal: Seal = seal_of(settings)
        self.results_of: Callable[[str], ResultStore] = cache(
            lambda tenant: results_of(settings, tenant)
        )
        self.runner: Runner | None = None
        self._to_send = asyncio.Event()

    @property
    def pages_running(self) -> int:
        """Pages of jobs that this process reads now."""
        return self.runner.running if self.runner is not None else 0

    @property
    def pages_open(self) -> int:
        """Pages of all jobs in the database that have not ended, as counted lately."""
        return self.runner.open_pages if self.runner is not None else 0

    def wake(self) -> None:
        """There is something new to do."""
        self._to_send.set()
        if self.runner is not None:
            self.runner.wake()

    @asynccontextmanager
    async def running(self, extractor: Extractor) -> AsyncIterator[None]:
        """Work on jobs inside the block; at its end pages that run wait again."""

        def idle() -> bool:
            pool = extractor.pool.state
            return not self.drain.draining and not pool.waiting

        reader = Reader(extractor, self.seal, self.metrics)
        self.runner = Runner(
            Work(
                self.engine,
                self.settings,
                self.seal.name,
                reader,
                self.results_of,
                self.metrics,
                idle,
            )
        )
        post = Post(self.engine, self.settings, extractor.proxy, self.seal, self.metrics)
        tasks = [
            asyncio.create_task(self.runner.run()),
            asyncio.create_task(keep_sending(post, self._to_send)),
            asyncio.create_task(self._keep_forgetting()),
        ]
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    def _forget_old(self) -> int:
        before = now_ms() - self.settings.job_ttl_s * 1000
        return forget_old(self.engine, self.results_of, before)

    async def _keep_forgetting(self) -> None:
        while True:
            try:
                gone = await run_to_end(self._forget_old)
            except Exception:  # a lost database must not end it
                _log.exception("jobs_not_forgotten")
            else:
                if gone:
                    _log.info("jobs_forgotten", count=gone)
            await asyncio.sleep(self.settings.sweep_interval_s)
