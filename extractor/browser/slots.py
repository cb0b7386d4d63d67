"""The queue in front of the browsers: how many pages at a time, how many may wait, and whose turn it is."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable

from extractor.errors import Busy, DeadlineExceeded, ExtractorError

_Waiter = asyncio.Future[None]


class Slots:
    """``concurrency`` slots and a queue of ``queue_size``, shared fairly between tenants.

    Tenants that wait take turns, however many requests one of them has sent; each may hold ``per_tenant``
    slots at a time (the tenant ``""`` stands for nobody in particular and may hold all). When the queue is
    full, the tenant with most entries in it gives way to one with fewer. No wait is promised longer than
    ``longest_s``. What comes ``behind`` gets a slot when nobody else could take it, and has no place in the
    queue: who sends it says how many wait.
    """

    def __init__(
        self,
        concurrency: int,
        queue_size: int,
        longest_s: float,
        *,
        per_tenant: int | None = None,
    ) -> None:
        self._concurrency, self._queue_size, self._longest_s = concurrency, queue_size, longest_s
        self._per_tenant = concurrency if per_tenant is None else per_tenant
        self._held: Counter[str] = Counter()
        # Tenants in the order of their turns; one without a waiter is not in it.
        self._queues: dict[str, deque[_Waiter]] = {}
        self._behind: dict[str, deque[_Waiter]] = {}
        self._page_s = 1.0

    @property
    def taken_now(self) -> int:
        """Slots that are taken."""
        return self._held.total()

    @property
    def waiting(self) -> int:
        """Requests in the queue, those behind all others left out."""
        return sum(map(len, self._queues.values()))

    @contextlib.asynccontextmanager
    async def taken(
        self, deadline: float, tenant: str = "", *, behind: bool = False
    ) -> AsyncIterator[None]:
        """Hold a slot while the block runs; ``deadline`` is in the event loop's time.

        Raises:
            Busy: the queue is full.
            DeadlineExceeded: no slot was free in time.
        """
        await self._take(deadline, tenant, behind=behind)
        started = time.monotonic()
        try:
            yield
        finally:
            # A running mean: what the next in the queue is told to expect.
            self._page_s += (time.monotonic() - started - self._page_s) / 8
            self._release(tenant)

    def turn_away(self, reason: Callable[[], ExtractorError]) -> None:
        """Empty the queue: every request in it fails for this reason."""
        for queue in (*self._queues.values(), *self._behind.values()):
            for waiter in queue:
                if not waiter.done():
                    waiter.set_exception(reason())

    async def _take(self, deadline: float, tenant: str, *, behind: bool) -> None:
        if self.taken_now < self._concurrency and self._may_hold(tenant):
            self._held[tenant] += 1
            return
        if not behind and self.waiting >= self._queue_size:
            self._make_room(tenant)
        waiter: _Waiter = asyncio.get_running_loop().create_future()
        queues = self._behind if behind else self._queues
        queues.setdefault(tenant, deque()).append(waiter)
        try:
            async with asyncio.timeout_at(deadline):
                await waiter
        except BaseException as error:
            self._withdraw(tenant, waiter)
            if isinstance(error, TimeoutError):
                raise DeadlineExceeded("No browser was free before the deadline.") from error
            raise

    def _may_hold(self, tenant: str) -> bool:
        return not tenant or self._held[tenant] < self._per_tenant

    def _make_room(self, tenant: str) -> None:
        """Send away whoever came last of the tenant with most entries; the caller if that is its own."""
        fullest = max(self._queues, key=lambda name: len(self._queues[name]), default=tenant)
        own = len(self._queues.get(tenant, ()))
        if len(self._queues.get(fullest, ())) <= own + 1:
            raise self._busy()
        last = self._queues[fullest].pop()
        last.set_exception(self._busy())

    def _busy(self) -> Busy:
        ahead = (self.waiting + 1) / self._concurrency
        wait_s = min(max(1.0, self._page_s * ahead), self._longest_s)
        return Busy("All browsers are busy and the queue is full.", retry_after_s=wait_s)

    def _withdraw(self, tenant: str, waiter: _Waiter) -> None:
        if waiter.done() and not waiter.cancelled() and waiter.exception() is None:
            # The slot came at the very moment in which the caller left.
            self._release(tenant)
            return
        for queues in (self._queues, self._behind):
            queue = queues.get(tenant)
            if queue is not None and waiter in queue:
                queue.remove(waiter)
                if not queue:
                    del queues[tenant]

    def _release(self, tenant: str) -> None:
        self._held[tenant] -= 1
        if not self._held[tenant]:
            del self._held[tenant]
        while self.taken_now < self._concurrency:
            if not (self._grant(self._queues) or self._grant(self._behind)):
                return

    def _grant(self, queues: dict[str, deque[_Waiter]]) -> bool:
        """Give a slot to the first tenant in turn that may have one more; whether there was one."""
        for tenant, queue in queues.items():
            if not self._may_hold(tenant):
                continue
            waiter = queue.popleft()
            del queues[tenant]
            if queue:
                queues[tenant] = queue  # at the end: the others come first
            if not waiter.done():
                self._held[tenant] += 1
                waiter.set_result(None)
            return True
        return False
