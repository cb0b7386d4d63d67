"""A page as a stream of server-sent events: each stage as it begins, then the page or the problem."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass

import orjson
import structlog
from starlette.responses import StreamingResponse

from api.drain import Drain
from api.errors import ProblemResponse, problem, problem_of
from api.metrics import Metrics
from api.pages_json import page_bytes
from extractor.page import Page
from extractor.stages import Listener, Stage

MEDIA_TYPE = "text/event-stream"
#: Also how soon a stopping service is noticed.
_LOOK_UP_S = 0.25
_HEADERS = {"X-Accel-Buffering": "no", "Vary": "Accept"}

_log = structlog.get_logger("pagefold.events")


@dataclass(frozen=True, slots=True)
class Streaming:
    """What a stream needs: ``read`` reads the page and says its stages; times are seconds."""

    read: Callable[[Listener], Awaitable[Page]]
    deadline_s: float
    keep_alive_s: float
    drain: Drain
    metrics: Metrics


def wants_events(accept: str | None) -> bool:
    """Whether an ``Accept`` header names the media type of events."""
    names = [part.partition(";")[0].strip().lower() for part in (accept or "").split(",")]
    return MEDIA_TYPE in names


def event_response(streaming: Streaming) -> StreamingResponse:
    """The answer; its work ends with it, also when the client leaves."""
    return StreamingResponse(_events(streaming), media_type=MEDIA_TYPE, headers=_HEADERS)


async def _events(streaming: Streaming) -> AsyncIterator[bytes]:
    began = quiet_since = time.monotonic()
    stages: asyncio.Queue[Stage] = asyncio.Queue()
    work = asyncio.ensure_future(_run(streaming.read(stages.put_nowait)))
    yield b": stages come as they begin\n\n"
    try:
        while True:
            done, _ = await asyncio.wait({work}, timeout=_LOOK_UP_S if stages.empty() else 0)
            while not stages.empty():
                elapsed = round((time.monotonic() - began) * 1000)
                yield _stage(stages.get_nowait(), elapsed, streaming.deadline_s)
                quiet_since = time.monotonic()
            if done:
                yield _outcome(work, streaming.metrics)
                return
            if streaming.drain.overdue:
                yield _problem(_stopped(), streaming.metrics)
                return
            if time.monotonic() - quiet_since >= streaming.keep_alive_s:
                yield b": still at it\n\n"
                quiet_since = time.monotonic()
    finally:
        work.cancel()
        await asyncio.gather(work, return_exceptions=True)


async def _run(work: Awaitable[Page]) -> Page:
    return await work


def _stage(stage: Stage, elapsed_ms: int, deadline_s: float) -> bytes:
    data = {"stage": stage, "elapsed_ms": elapsed_ms, "deadline_ms": round(deadline_s * 1000)}
    return _event("stage", orjson.dumps(data))


def _outcome(work: asyncio.Future[Page], metrics: Metrics) -> bytes:
    error = work.exception()
    if error is None:
        return _event("page", page_bytes(work.result()))
    if not hasattr(error, "code"):
        _log.error("unhandled", exc_info=error)
        error = None
    return _problem(problem_of(error) if isinstance(error, Exception) else _failed(), metrics)


def _problem(answer: ProblemResponse, metrics: Metrics) -> bytes:
    metrics.failure(answer.code)
    return _event("problem", bytes(answer.body))


def _failed() -> ProblemResponse:
    return problem("internal", "Something failed on our side; the log says what.")


def _stopped() -> ProblemResponse:
    return problem("draining", "The service stopped before the page was ready.", retryable=True)


def _event(name: str, data: bytes) -> bytes:
    # JSON as it is written here holds no line ends.
    return b"event: %s\ndata: %s\n\n" % (name.encode(), data)
