"""The end of the service: no new requests, time for those that run, and what is left is handed back."""

from __future__ import annotations

import asyncio
import time
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.errors import problem

#: Streams end by themselves when the grace period is over; this is the time that they get for it.
_STREAMS_END_S = 1.0
#: What machines that watch the service may still ask while it stops.
WATCHED_PATHS = frozenset({"/healthz", "/readyz", "/metrics", "/version"})
_RETRY_AFTER_S = 5.0


class Drain:
    """Whether the service is stopping, and which requests still run.

    ``grace_s`` is what running requests get; ``notice_s`` is how long new ones are refused in any case,
    so that a load balancer sees that the service is no longer ready before connections fail. ``most``
    is how many requests may run at a time, those in the queue for a browser included.
    """

    def __init__(self, grace_s: float, notice_s: float = 0.0, *, most: int = 1_000_000) -> None:
        self._grace_s, self._notice_s, self._most = grace_s, notice_s, most
        self._began: float | None = None
        self._cut_off = False
        self._running: set[asyncio.Task[Any]] = set()

    @property
    def draining(self) -> bool:
        """Whether new requests are refused."""
        return self._began is not None

    @property
    def running(self) -> int:
        """How many requests are being answered."""
        return len(self._running)

    @property
    def full(self) -> bool:
        """Whether one more request would be too many."""
        return len(self._running) >= self._most

    @property
    def overdue(self) -> bool:
        """Whether the grace period is over."""
        return self._began is not None and time.monotonic() >= self._began + self._grace_s

    def begin(self) -> None:
        """Refuse new requests from now on. Safe to call from a signal handler, and again."""
        if self._began is None:
            self._began = time.monotonic()

    def finished(self) -> bool:
        """Whether the server may close; past the grace period this cuts off what still runs."""
        if self._began is None:
            return False
        late = time.monotonic() >= self._began + self._grace_s + _STREAMS_END_S
        if late and not self._cut_off:
            self._cut_off = True
            for task in self._running:
                task.cancel()
        return not self._running and time.monotonic() >= self._began + self._notice_s

    def enter(self) -> asyncio.Task[Any]:
        """Count the current task as a running request."""
        task = asyncio.current_task()
        assert task is not None
        self._running.add(task)
        return task

    def leave(self, task: asyncio.Task[Any]) -> None:
        """The request of ``task`` is answered."""
        self._running.discard(task)


class Draining:
    """Refuses what a full or stopping service cannot take, and answers for what it cuts off at the end."""

    def __init__(self, app: ASGIApp, drain: Drain) -> None:
        self.app, self.drain = app, drain

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] in WATCHED_PATHS:
            await self.app(scope, receive, send)
            return
        if self.drain.draining:
            await _refuse("The service is stopping; another one will answer.", scope, receive, send)
            return
        if self.drain.full:
            answer = problem("busy", "Too many requests are running.", retryable=True)
            await answer(scope, receive, send)
            return
        started = False

        async def send_and_see(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        task = self.drain.enter()
        try:
            await self.app(scope, receive, send_and_see)
        except asyncio.CancelledError:
            if not self.drain.overdue or started:
                raise
            task.uncancel()
            await _refuse("The service stopped before the answer was ready.", scope, receive, send)
        finally:
            self.drain.leave(task)


async def _refuse(detail: str, scope: Scope, receive: Receive, send: Send) -> None:
    answer = problem("draining", detail, retryable=True, retry_after_s=_RETRY_AFTER_S)
    answer.headers["Connection"] = "close"
    await answer(scope, receive, send)
