"""Jobs that go: on request, when they are old, or with their tenant; their results go with them."""

from __future__ import annotations

from collections.abc import Callable

import sqlalchemy as sa

from api.jobs.ending import cancel
from api.jobs.results import ResultStore
from api.jobs.writing import now_ms, writing
from compactor.tables import jobs

ResultsOf = Callable[[str], ResultStore]


def forget_job(engine: sa.Engine, results_of: ResultsOf, job_id: str, tenant: str) -> bool:
    """Remove a job that has ended; whether there was one.

    It is out of sight before its results go, and its rows go last: whatever is cut off is found again.
    """
    own = sa.and_(jobs.c.id == job_id, jobs.c.tenant == tenant, jobs.c.state != "running")
    with writing(engine) as connection:
        row = sa.update(jobs).where(own).values(state="forgotten")
        if connection.execute(row).rowcount != 1:
            return False
    results_of(tenant).remove(job_id)
    with writing(engine) as connection:
        connection.execute(sa.delete(jobs).where(jobs.c.id == job_id))
    return True


def drop_orphans(engine: sa.Engine, results_of: ResultsOf, job_id: str, tenant: str) -> None:
    """Remove results that were written while their job was forgotten."""
    with engine.connect() as connection:
        if connection.execute(sa.select(jobs.c.id).where(jobs.c.id == job_id)).first() is None:
            results_of(tenant).remove(job_id)


def forget_old(engine: sa.Engine, results_of: ResultsOf, ended_before: int) -> int:
    """Remove jobs that ended before then, in milliseconds since 1970, and those half removed; how many."""
    late = sa.or_(
        jobs.c.state == "forgotten",
        sa.and_(jobs.c.state != "running", jobs.c.ended_at < ended_before),
    )
    return _forget(engine, results_of, late)


def forget_tenant(engine: sa.Engine, results_of: ResultsOf, tenant: str) -> int:
    """Cancel and remove all jobs of a tenant; how many."""
    own = jobs.c.tenant == tenant
    with engine.connect() as connection:
        running = sa.select(jobs.c.id).where(own, jobs.c.state == "running")
        found = connection.execute(running).scalars().all()
    for job_id in found:
        cancel(engine, job_id, tenant, now_ms())
    return _forget(engine, results_of, own)


def _forget(engine: sa.Engine, results_of: ResultsOf, which: sa.ColumnElement[bool]) -> int:
    with engine.connect() as connection:
        found = connection.execute(sa.select(jobs.c.id, jobs.c.tenant).where(which)).all()
    return sum(forget_job(engine, results_of, row.id, row.tenant) for row in found)
