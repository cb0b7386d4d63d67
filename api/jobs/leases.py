"""Pages that a process holds: each under a lease that it renews, gives back, or loses."""

from __future__ import annotations

from dataclasses import dataclass

import sqlalchemy as sa

from api.jobs.writing import writing
from compactor.tables import job_pages, jobs

_AT_ONCE = 1_000


@dataclass(frozen=True, slots=True)
class Claim:
    """A page that is ours until its lease ends. ``options`` and ``request`` are sealed."""

    job_id: str
    position: int
    worker: str
    taken_at: int
    tries: int
    tenant: str
    options: str | None
    request: str | None

    @property
    def key(self) -> tuple[str, int]:
        return self.job_id, self.position

    def is_ours(self) -> sa.ColumnElement[bool]:
        """Whether a row of ``job_pages`` is still this claim."""
        return sa.and_(
            job_pages.c.job_id == self.job_id,
            job_pages.c.position == self.position,
            job_pages.c.state == "taken",
            job_pages.c.taken_by == self.worker,
            job_pages.c.taken_at == self.taken_at,
        )


def renew(engine: sa.Engine, claims: list[Claim], until: int) -> list[Claim]:
    """Keep pages until then, in milliseconds since 1970; those that are no longer ours."""
    lost = []
    for each in claims:
        with writing(engine) as connection:
            row = sa.update(job_pages).where(each.is_ours()).values(lease_until=until)
            if connection.execute(row).rowcount != 1:
                lost.append(each)
    return lost


def put_back(engine: sa.Engine, each: Claim, not_before: int, *, counts: bool) -> bool:
    """Let a page wait again; whether it was still ours. ``counts``: this was one of its tries."""
    values = {
        "state": "waiting",
        "not_before": not_before,
        "taken_by": None,
        "lease_until": None,
        "tries": each.tries if counts else each.tries - 1,
    }
    with writing(engine) as connection:
        done = connection.execute(sa.update(job_pages).where(each.is_ours()).values(values))
    return bool(done.rowcount == 1)


def expired(engine: sa.Engine, now: int) -> list[Claim]:
    """Pages whose holder has not been heard of in time; some of them if there are many."""
    return _claims(engine, job_pages.c.lease_until < now)


def hand_back(engine: sa.Engine, worker: str, now: int) -> None:
    """Let all pages of a worker that ends wait again, as if it had not taken them."""
    for each in _claims(engine, job_pages.c.taken_by == worker):
        put_back(engine, each, now, counts=False)


def _claims(engine: sa.Engine, condition: sa.ColumnElement[bool]) -> list[Claim]:
    query = (
        sa.select(job_pages, jobs.c.tenant)
        .join(jobs)
        .where(job_pages.c.state == "taken", condition)
        .limit(_AT_ONCE)
    )
    with engine.connect() as connection:
        rows = connection.execute(query).all()
    return [
        Claim(
            row.job_id,
            row.position,
            row.taken_by,
            row.taken_at,
            row.tries,
            row.tenant,
            None,
            None,
        )
        for row in rows
    ]
