"""A job as a stream of server-sent events: one for each page that ended, and one for the end.

An event's id is the page's number, so a stream that was cut off goes on behind the last one seen.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import orjson
import sqlalchemy as sa
from starlette.responses import Response, StreamingResponse

from api.drain import Drain
from api.events import MEDIA_TYPE
from api.jobs.reading import ENDED, Cursor, ended_pages, job_row, shown_job, shown_page
from api.jobs.writing import now_ms
from api.threads import run_to_end
from extractor.errors import InvalidRequest, NotFound

LAST = "end"
_LOOK_UP_S = 0.5
_AT_ONCE = 200
_HEADERS = {"X-Accel-Buffering": "no"}


@dataclass(frozen=True, slots=True)
class Following:
    """Whose job is followed, from where on, and when a comment is sent in silence (seconds)."""

    engine: sa.Engine
    job_id: str
    tenant: str
    after: int
    quiet_s: float
    drain: Drain


def last_seen(header: str | None) -> int | None:
    """The number of the last event that was seen; ``None`` when the whole stream was.

    Raises:
        InvalidRequest: the header holds what is no id of ours.
    """
    if header is None or header == "":
        return 0
    if header == LAST:
        return None
    if not header.isdecimal() or len(header) > 9:
        raise InvalidRequest("This is no id of an event.", field="Last-Event-ID")
    return int(header)


def event_response(following: Following | None) -> Response:
    """The stream; without anything to follow an answer that tells clients not to come again."""
    if following is None:
        return Response(status_code=204)
    return StreamingResponse(_events(following), media_type=MEDIA_TYPE, headers=_HEADERS)


async def _events(following: Following) -> AsyncIterator[bytes]:
    engine, job_id = following.engine, following.job_id
    after, quiet_since = following.after, time.monotonic()
    yield b"retry: 2000\n\n"
    try:
        while not following.drain.draining:
            # The state is read first: what has ended by then is among the pages read after it.
            row = await run_to_end(lambda: job_row(engine, job_id, following.tenant))
            pages, more = await _next_pages(following, after)
            for page in pages:
                after, quiet_since = page.number, time.monotonic()
                ended = {**shown_page(page), "total": row.total}
                yield _event("page", str(after), orjson.dumps(ended))
            if more:
                continue
            if row.state in ENDED:
                shown = await run_to_end(
                    lambda: shown_job(engine, job_id, following.tenant, now_ms())
                )
                yield _event(LAST, LAST, orjson.dumps(shown))
                return
            if time.monotonic() - quiet_since >= following.quiet_s:
                yield b": still at it\n\n"
                quiet_since = time.monotonic()
            await asyncio.sleep(_LOOK_UP_S)
    except NotFound:
        return  # it was deleted while it was followed


async def _next_pages(following: Following, after: int) -> tuple[list[sa.Row[Any]], bool]:
    engine, cursor = following.engine, Cursor("completion", after)
    return await run_to_end(lambda: ended_pages(engine, following.job_id, cursor, _AT_ONCE))


def _event(name: str, number: str, data: bytes) -> bytes:
    # JSON as it is written here holds no line ends.
    return b"id: %s\nevent: %s\ndata: %s\n\n" % (number.encode(), name.encode(), data)
