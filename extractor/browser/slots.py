"""The queue in front of the browsers: so many pages at a time, and so many that may wait."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator

from extractor.errors import Busy, DeadlineExceeded


class Slots:
    """``concurrency`` slots and a queue of ``queue_size``; no wait is promised longer than ``longest_s``."""

    def __init__(self, concurrency: int, queue_size: int, longest_s: float) -> None:
        self._free = asyncio.Semaphore(concurrency)
        self._concurrency, self._queue_size, self._longest_s = concurrency, queue_size, longest_s
        self._waiting = 0
        self._page_s = 1.0

    @contextlib.asynccontextmanager
    async def taken(self, deadline: float) -> AsyncIterator[None]:
        """Hold a slot while the block runs; ``deadline`` is in the event loop's time.

        Raises:
            Busy: the queue is full.
            DeadlineExceeded: no slot was free in time.
        """
        await self._take(deadline)
        started = time.monotonic()
        try:
            yield
        finally:
            # A running mean: what the next in the queue is told to expect.
            self._page_s += (time.monotonic() - started - self._page_s) / 8
            self._free.release()

    async def _take(self, deadline: float) -> None:
        if self._free.locked() and self._waiting >= self._queue_size:
            ahead = (self._waiting + 1) / self._concurrency
            wait_s = min(max(1.0, self._page_s * ahead), self._longest_s)
            raise Busy("All browsers are busy and the queue is full.", retry_after_s=wait_s)
        self._waiting += 1
        try:
            async with asyncio.timeout_at(deadline):
                await self._free.acquire()
        except TimeoutError as error:
            raise DeadlineExceeded("No browser was free before the deadline.") from error
        finally:
            self._waiting -= 1
