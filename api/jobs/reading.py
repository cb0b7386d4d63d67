"""What is told of jobs: how far they are, what has ended, and the results in pieces."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from api.jobs.models import JobsQuery, Order
from api.jobs.telling import written
from compactor.tables import job_deliveries, job_pages, jobs
from extractor.errors import InvalidRequest, NotFound

ENDED = ("completed", "cancelled")
#: How many of the pages that ended last the time left is reckoned from.
_LATELY = 50


@dataclass(frozen=True, slots=True)
class Cursor:
    """Where a list of results goes on: after this number (``completion``) or position (``input``)."""

    order: Order
    after: int

    def __str__(self) -> str:
        return f"{self.order[0]}{self.after}"

    @classmethod
    def read(cls, text: str) -> Cursor:
        """Raises InvalidRequest for what no answer has named."""
        order, digits = text[:1], text[1:]
        if order not in ("c", "i") or not digits.removeprefix("-").isdecimal() or len(digits) > 10:
            raise InvalidRequest("The cursor is not one of `next`.", field="cursor")
        return cls("completion" if order == "c" else "input", int(digits))


def job_row(engine: sa.Engine, job_id: str, tenant: str) -> sa.Row[Any]:
    """The row of a job. Raises NotFound, also for another tenant's."""
    query = sa.select(jobs).where(
        jobs.c.id == job_id, jobs.c.tenant == tenant, jobs.c.state != "forgotten"
    )
    with engine.connect() as connection:
        row = connection.execute(query).one_or_none()
    if row is None:
        raise NotFound("There is no such job.", field="id")
    return row


def shown_job(engine: sa.Engine, job_id: str, tenant: str, now: int) -> dict[str, Any]:
    """A job as its owner sees it. Raises NotFound."""
    row = job_row(engine, job_id, tenant)
    own = job_pages.c.job_id == job_id
    by_code = (
        sa.select(job_pages.c.code, sa.func.count().label("pages"))
        .where(own, job_pages.c.code.is_not(None))
        .group_by(job_pages.c.code)
        .order_by(job_pages.c.code)
    )
    taken = sa.select(sa.func.count()).where(own, job_pages.c.state == "taken")
    lately = (
        sa.select(job_pages.c.ended_at)
        .where(own, job_pages.c.number.is_not(None))
        .order_by(job_pages.c.number.desc())
        .limit(_LATELY)
    )
    with engine.connect() as connection:
        failures = {each.code: each.pages for each in connection.execute(by_code)}
        running = connection.execute(taken).scalar_one() if row.state == "running" else 0
        ends = list(connection.execute(lately).scalars())
        deliveries = _deliveries(connection, row)
    return {
        **brief(row),
        "pages": _counts(row, running),
        "failures": failures,
        "progress": _progress(row),
        "eta_s": _eta_s(row, ends, now),
        "webhook": deliveries,
    }


def brief(row: sa.Row[Any]) -> dict[str, Any]:
    """What a list of jobs says of one."""
    state = "queued" if row.state == "running" and row.started_at is None else row.state
    times = {
        name: None if getattr(row, name) is None else written(getattr(row, name))
        for name in ("created_at", "started_at", "ended_at")
    }
    return {"id": row.id, "state": state, **times}


def listed(engine: sa.Engine, tenant: str, query: JobsQuery) -> dict[str, Any]:
    """A tenant's jobs, the newest first. Raises InvalidRequest for a cursor that is none."""
    found = sa.select(jobs).where(jobs.c.tenant == tenant, jobs.c.state != "forgotten")
    if query.state in ENDED:
        found = found.where(jobs.c.state == query.state)
    elif query.state is not None:
        begun = jobs.c.started_at.is_(None) if query.state == "queued" else jobs.c.started_at > 0
        found = found.where(jobs.c.state == "running", begun)
    if query.cursor is not None:
        at, _, job_id = query.cursor.partition("-")
        if not at.isdecimal() or len(at) > 15:
            raise InvalidRequest("The cursor is not one of `next`.", field="cursor")
        before = sa.tuple_(jobs.c.created_at, jobs.c.id) < sa.tuple_(int(at), job_id)
        found = found.where(before)
    found = found.order_by(jobs.c.created_at.desc(), jobs.c.id.desc()).limit(query.limit + 1)
    with engine.connect() as connection:
        rows = connection.execute(found).all()
    shown = [{**brief(row), "pages": _counts(row, None)} for row in rows[: query.limit]]
    last = rows[query.limit - 1] if len(rows) > query.limit else None
    return {"jobs": shown, "next": f"{last.created_at}-{last.id}" if last is not None else None}


def ended_pages(
    engine: sa.Engine, job_id: str, cursor: Cursor, limit: int
) -> tuple[list[sa.Row[Any]], bool]:
    """Rows of pages after the cursor that have ended, and whether more of them have.

    In the order of the input they end before the first page that has not ended.
    """
    own = job_pages.c.job_id == job_id
    if cursor.order == "completion":
        column = job_pages.c.number
        query = sa.select(job_pages).where(own, column > cursor.after)
    else:
        column = job_pages.c.position
        first_open = (
            sa.select(sa.func.min(column))
            .where(own, job_pages.c.state.in_(("waiting", "taken")))
            .scalar_subquery()
        )
        before = sa.or_(first_open.is_(None), column < first_open)
        query = sa.select(job_pages).where(own, column > cursor.after, before)
    with engine.connect() as connection:
        rows = connection.execute(query.order_by(column).limit(limit + 1)).all()
    return list(rows[:limit]), len(rows) > limit


def shown_page(row: sa.Row[Any]) -> dict[str, Any]:
    """What became of a page, without the page."""
    return {
        "position": row.position,
        "number": row.number,
        "url": None if row.url is None else json.loads(row.url),
        "state": row.state,
        "tries": row.tries,
        "ended_at": written(row.ended_at),
        "problem": None if row.problem is None else json.loads(row.problem),
    }


def _counts(row: sa.Row[Any], running: int | None) -> dict[str, int]:
    left = row.total - row.done - row.failed
    cancelled = left if row.state == "cancelled" else 0
    waiting = 0 if row.state in ENDED else left - (running or 0)
    counts = {"total": row.total, "waiting": waiting}
    if running is not None:
        counts["running"] = running
    return {**counts, "done": row.done, "failed": row.failed, "cancelled": cancelled}


def _progress(row: sa.Row[Any]) -> float:
    if row.state in ENDED:
        return 1.0
    return float(round((row.done + row.failed) / row.total, 4))


def _eta_s(row: sa.Row[Any], ends: list[int], now: int) -> float | None:
    """Seconds until the last page has ended, from how fast they ended lately."""
    left = row.total - row.done - row.failed
    if row.state in ENDED:
        return 0.0
    if not ends or row.started_at is None:
        return None
    whole = len(ends) < _LATELY
    since = row.started_at if whole else ends[-1]
    each_ms = max(now - since, 1) / (len(ends) if whole else len(ends) - 1)
    return float(round(each_ms * left / 1000, 1))


def _deliveries(connection: sa.Connection, row: sa.Row[Any]) -> dict[str, Any] | None:
    if row.webhook_shown is None:
        return None
    own = job_deliveries.c.job_id == row.id
    counted = sa.select(job_deliveries.c.state, sa.func.count()).where(own)
    counts = dict.fromkeys(("waiting", "delivered", "failed"), 0)
    for state, count in connection.execute(counted.group_by(job_deliveries.c.state)):
        counts[state] = count
    query = sa.select(job_deliveries).where(own, job_deliveries.c.tries > 0)
    last = connection.execute(query.order_by(job_deliveries.c.created_at.desc()).limit(1)).first()
    return {
        "url": row.webhook_shown,
        "every": row.webhook_every,
        "messages": counts,
        "last": last
        and {
            "id": last.id,
            "type": last.kind,
            "state": last.state,
            "tries": last.tries,
            "status": last.last_status,
            "code": last.last_code,
        },
    }
