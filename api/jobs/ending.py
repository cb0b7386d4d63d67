"""How pages and jobs end: each change is one transaction, and is made once or not at all."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from api.jobs.leases import Claim
from api.jobs.telling import tell
from api.jobs.writing import writing
from compactor.tables import job_pages, jobs


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a page: the name and size of what was stored, or a problem document."""

    result: str | None = None
    result_bytes: int | None = None
    problem: dict[str, Any] | None = None

    @property
    def code(self) -> str | None:
        return self.problem["code"] if self.problem else None


def end_page(engine: sa.Engine, claim: Claim, outcome: Outcome, now: int) -> str | None:
    """Enter what became of a page; the job's state, or ``None`` if the page was no longer ours.

    The last page ends its job. What the webhook is to be told is written in the same transaction.
    """
    count = jobs.c.failed if outcome.problem else jobs.c.done
    step = {"last_number": jobs.c.last_number + 1, count: count + 1}
    with writing(engine) as connection:
        row = connection.execute(
            sa.update(jobs)
            .where(jobs.c.id == claim.job_id, jobs.c.state == "running")
            .values(step)
            .returning(jobs)
        ).one_or_none()
        if row is None:
            return None
        values = {
            "state": "failed" if outcome.problem else "done",
            "number": row.last_number,
            "ended_at": now,
            "code": outcome.code,
            "problem": json.dumps(outcome.problem) if outcome.problem else None,
            "result": outcome.result,
            "result_bytes": outcome.result_bytes,
            "request": None,
            "lease_until": None,
        }
        ours = connection.execute(sa.update(job_pages).where(claim.is_ours()).values(values))
        if ours.rowcount != 1:
            connection.rollback()
            return None
        ended = row.done + row.failed
        if ended == row.total:
            return _end_job(connection, row, "completed", now)
        if row.webhook and row.webhook_every and ended % row.webhook_every == 0:
            tell(connection, row, "job.progress", now)
        return "running"


def cancel(engine: sa.Engine, job_id: str, tenant: str, now: int) -> list[int] | None:
    """End a job and all its pages that have not ended; the positions of those that were being read.

    ``None`` if it has ended already, or is not there.
    """
    with writing(engine) as connection:
        row = connection.execute(
            sa.update(jobs)
            .where(jobs.c.id == job_id, jobs.c.tenant == tenant, jobs.c.state == "running")
            .values(last_number=jobs.c.last_number + jobs.c.total)
            .returning(jobs)
        ).one_or_none()
        if row is None:
            return None
        own = job_pages.c.job_id == job_id
        taken = sa.select(job_pages.c.position).where(own, job_pages.c.state == "taken")
        running = list(connection.execute(taken).scalars())
        # Numbers need not be dense: they only have to grow.
        number = row.last_number - row.total + 1 + job_pages.c.position
        connection.execute(
            sa.update(job_pages)
            .where(own, job_pages.c.state.in_(("waiting", "taken")))
            .values(state="cancelled", number=number, ended_at=now, request=None, lease_until=None)
        )
        _end_job(connection, row, "cancelled", now)
        return running


def _end_job(connection: sa.Connection, row: sa.Row[Any], state: str, now: int) -> str:
    values = {"state": state, "ended_at": now, "options": None}
    ended = connection.execute(
        sa.update(jobs).where(jobs.c.id == row.id).values(values).returning(jobs)
    ).one()
    if row.webhook:
        tell(connection, ended, f"job.{state}", now)
    return state
