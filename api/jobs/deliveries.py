"""Messages that wait to be sent: each is tried until it is delivered, given up, or no longer wanted."""

from __future__ import annotations

import asyncio
import random
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
import structlog

from api.jobs.sealing import Seal
from api.jobs.settings import JobSettings
from api.jobs.webhooks import Answer, Message, send
from api.jobs.writing import now_ms, writing
from api.metrics import Metrics
from api.threads import run_to_end
from compactor.tables import job_deliveries, jobs
from extractor.egress.proxy import EgressProxy
from extractor.errors import ExtractorError

_log = structlog.get_logger("pagefold.jobs")
_AT_ONCE = 8
_MOST_BACKOFF_S = 21_600.0
#: What a try may take past its own time before another process may make the next one.
_MARGIN_MS = 10_000


@dataclass(frozen=True, slots=True)
class Post:
    """With what messages are sent."""

    engine: sa.Engine
    settings: JobSettings
    proxy: EgressProxy
    seal: Seal
    metrics: Metrics


async def keep_sending(post: Post, woken: asyncio.Event) -> None:
    """Send what is due, until cancelled; what is cut off is sent again later, under the same id."""
    while True:
        woken.clear()
        sent = 0
        try:
            sent = await send_due(post)
        except Exception:  # a lost database must not end it
            _log.exception("webhooks_not_sent")
        if sent < _AT_ONCE:
            try:
                async with asyncio.timeout(post.settings.job_poll_s):
                    await woken.wait()
            except TimeoutError:
                continue


async def send_due(post: Post) -> int:
    """Send messages that are due now, some of them at a time; how many were tried."""
    due = await run_to_end(lambda: _take_due(post.engine, post.settings, post.seal.name))
    async with asyncio.TaskGroup() as tasks:
        for row in due:
            tasks.create_task(_try(post, row))
    return len(due)


def _take_due(engine: sa.Engine, settings: JobSettings, seal: str) -> list[sa.Row[Any]]:
    """Messages to be tried now. Until this try must have ended no other process takes them."""
    now = now_ms()
    kept_until = now + round(settings.webhook_timeout_s * 1000) + _MARGIN_MS
    query = (
        sa.select(job_deliveries, jobs.c.webhook)
        .join(jobs)
        .where(job_deliveries.c.state == "waiting", job_deliveries.c.not_before <= now)
        .where(jobs.c.seal == seal)
        .order_by(job_deliveries.c.created_at, job_deliveries.c.id)
        .limit(_AT_ONCE)
    )
    with engine.connect() as connection:
        found = connection.execute(query).all()
    taken = []
    for row in found:
        ours = sa.and_(
            job_deliveries.c.id == row.id,
            job_deliveries.c.state == "waiting",
            job_deliveries.c.not_before == row.not_before,
        )
        step = {"not_before": kept_until, "tries": row.tries + 1}
        with writing(engine) as connection:
            if connection.execute(sa.update(job_deliveries).where(ours).values(step)).rowcount == 1:
                taken.append(row)
    return taken


async def _try(post: Post, row: sa.Row[Any]) -> None:
    settings = post.settings
    try:
        hook = post.seal.open(row.webhook)
    except ExtractorError as error:
        answer = Answer(code=error.code)
    else:
        message = Message(row.id, hook["url"], hook["secret"], row.body.encode("ascii"))
        answer = await send(message, post.proxy, settings, settings.webhook_timeout_s)
    tries = row.tries + 1
    if answer.delivered:
        state = "delivered"
    elif answer.final or tries >= settings.webhook_tries:
        state = "failed"
    else:
        state = "waiting"
    post.metrics.webhook("again" if state == "waiting" else state)
    _log.info(
        "webhook_tried", job=row.job_id, outcome=state, status=answer.status, code=answer.code,
        tries=tries,
    )  # fmt: skip
    await run_to_end(
        lambda: _enter(post.engine, row, answer, state, _wait_s(settings, tries, answer))
    )


def _wait_s(settings: JobSettings, tries: int, answer: Answer) -> float:
    backoff_s = min(settings.webhook_backoff_s * 4.0 ** (tries - 1), _MOST_BACKOFF_S)
    # Some of them have failed together; they need not come back together.
    return max(backoff_s * random.uniform(1.0, 1.2), answer.after_s)


def _enter(engine: sa.Engine, row: sa.Row[Any], answer: Answer, state: str, wait_s: float) -> None:
    now = now_ms()
    values = {
        "state": state,
        "last_status": answer.status,
        "last_code": answer.code,
        "not_before": now + round(wait_s * 1000),
        "ended_at": None if state == "waiting" else now,
    }
    with writing(engine) as connection:
        same = sa.and_(job_deliveries.c.id == row.id, job_deliveries.c.state == "waiting")
        connection.execute(sa.update(job_deliveries).where(same).values(values))
        if answer.status == 410:
            # The receiver wants no more of them.
            others = sa.and_(
                job_deliveries.c.job_id == row.job_id, job_deliveries.c.state == "waiting"
            )
            gone = {"state": "failed", "last_status": 410, "ended_at": now}
            connection.execute(sa.update(job_deliveries).where(others).values(gone))
