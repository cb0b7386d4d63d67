"""Whose turn it is: pages are taken from the queue under a lease that its holder has to renew.

Tenants take turns, and so do a tenant's jobs; pages count against the limits of the key that made their
job, apart from requests. Several processes may take pages of one database: on
PostgreSQL a job that another one looks at is passed over, SQLite lets one write at a time.
"""

from __future__ import annotations

import time
import zlib
from collections.abc import Iterator
from dataclasses import dataclass

import sqlalchemy as sa

from api.jobs.leases import Claim
from api.jobs.writing import writing
from compactor.tables import job_pages, jobs

#: Any number that names the locks of hosts among a PostgreSQL server's advisory locks.
_HOST_LOCKS = 0x50461E
_LOOKED_AT = 20
_MINUTE_MS = 60_000
#: What holds of a page that may be read now.
Ready = list[sa.ColumnElement[bool]]


@dataclass(frozen=True, slots=True)
class ClaimRule:
    """Who takes pages, of jobs with which seal, and how many of one host. Times are milliseconds."""

    worker: str
    seal: str
    lease_ms: int
    host_concurrency: int
    host_interval_ms: int


def claim(engine: sa.Engine, rule: ClaimRule, most: int, now: int) -> list[Claim]:
    """Take up to ``most`` pages that may be read now."""
    with engine.connect() as connection:
        if connection.execute(_open_jobs(rule).limit(1)).first() is None:
            return []
    with writing(engine) as connection:
        return list(_claimed(connection, rule, most, now))


def open_pages(engine: sa.Engine) -> int:
    """Pages of all jobs that have not ended."""
    left = sa.func.sum(jobs.c.total - jobs.c.done - jobs.c.failed)
    query = sa.select(left).where(jobs.c.state == "running")
    with engine.connect() as connection:
        return int(connection.execute(query).scalar_one() or 0)


def _open_jobs(rule: ClaimRule) -> sa.Select[str]:
    return sa.select(jobs.c.id).where(jobs.c.state == "running", jobs.c.seal == rule.seal)


def _claimed(connection: sa.Connection, rule: ClaimRule, most: int, now: int) -> Iterator[Claim]:
    busy = set(connection.execute(_busy(rule, now)).scalars())
    refused: set[str] = set()
    while most > 0:
        passed_over = _over_limits(connection, rule, now) | refused
        job_id = _next_job(connection, _open_jobs(rule), passed_over, _ready(busy, now))
        if job_id is None:
            return
        found = _take_one(connection, job_id, rule, busy, now)
        if found is None:
            refused.add(job_id)
            continue
        most -= 1
        # A host may have reached its limit by this one.
        busy |= set(connection.execute(_busy(rule, now)).scalars())
        yield found


def _next_job(
    connection: sa.Connection, ours: sa.Select[str], passed_over: set[str], ready: Ready
) -> str | None:
    """The job whose turn it is, locked; ``None`` when there is none that has a page to read."""
    turns = (
        sa.select(jobs.c.tenant, sa.func.max(jobs.c.turn).label("turn"))
        .where(jobs.c.state == "running")
        .group_by(jobs.c.tenant)
        .subquery()
    )
    query = (
        ours.join(turns, turns.c.tenant == jobs.c.tenant)
        .where(jobs.c.id.not_in(passed_over))
        .where(sa.exists().where(job_pages.c.job_id == jobs.c.id, *ready))
        .order_by(turns.c.turn, jobs.c.turn, jobs.c.created_at, jobs.c.id)
        .limit(_LOOKED_AT)
    )
    for job_id in connection.execute(query).scalars().all():
        row = ours.where(jobs.c.id == job_id).with_for_update(skip_locked=True)
        if connection.execute(row).first() is not None:
            return job_id
        passed_over.add(job_id)
    return None


def _over_limits(connection: sa.Connection, rule: ClaimRule, now: int) -> set[str]:
    """Jobs whose tenant has as many pages now, or has had as many lately, as the job's key allows."""
    running = sa.and_(job_pages.c.state == "taken", job_pages.c.lease_until >= now)
    lately = job_pages.c.taken_at > now - _MINUTE_MS
    used = (
        sa.select(
            jobs.c.tenant,
            sa.func.sum(sa.case((running, 1), else_=0)).label("running"),
            sa.func.sum(sa.case((lately, 1), else_=0)).label("lately"),
        )
        .select_from(job_pages.join(jobs))
        .where(sa.or_(running, lately))
        .group_by(jobs.c.tenant)
        .subquery()
    )
    over = sa.or_(used.c.running >= jobs.c.at_a_time, used.c.lately >= jobs.c.per_minute)
    query = _open_jobs(rule).join(used, used.c.tenant == jobs.c.tenant).where(over)
    return set(connection.execute(query).scalars())


def _take_one(
    connection: sa.Connection, job_id: str, rule: ClaimRule, busy: set[str], now: int
) -> Claim | None:
    query = (
        sa.select(job_pages, jobs.c.tenant, jobs.c.options)
        .join(jobs)
        .where(job_pages.c.job_id == job_id, *_ready(busy, now))
        .order_by(job_pages.c.position)
        .limit(1)
    )
    while (row := connection.execute(query).mappings().first()) is not None:
        if _host_is_free(connection, row["host"], rule, now):
            break
        busy.add(row["host"])
        query = query.where(job_pages.c.host != row["host"])
    if row is None:
        return None
    found = Claim(
        job_id,
        row["position"],
        rule.worker,
        now,
        row["tries"] + 1,
        row["tenant"],
        row["options"],
        row["request"],
    )
    values = {
        "state": "taken",
        "taken_by": rule.worker,
        "taken_at": now,
        "lease_until": now + rule.lease_ms,
        "tries": found.tries,
    }
    connection.execute(
        sa.update(job_pages)
        .where(job_pages.c.job_id == job_id, job_pages.c.position == found.position)
        .values(values)
    )
    # In microseconds, so that two pages that are taken in one millisecond have an order.
    turn = {"turn": time.time_ns() // 1000, "started_at": sa.func.coalesce(jobs.c.started_at, now)}
    connection.execute(sa.update(jobs).where(jobs.c.id == job_id).values(turn))
    return found


def _ready(busy: set[str], now: int) -> Ready:
    return [
        job_pages.c.state == "waiting",
        job_pages.c.not_before <= now,
        job_pages.c.host.not_in(busy),
    ]


def _busy(rule: ClaimRule, now: int, host: str | None = None) -> sa.CompoundSelect[str]:
    """Hosts of which enough pages are read already, or one was begun a moment ago."""
    named = job_pages.c.host == host if host else job_pages.c.host != ""
    many = (
        sa.select(job_pages.c.host)
        .where(job_pages.c.state == "taken", job_pages.c.lease_until >= now, named)
        .group_by(job_pages.c.host)
        .having(sa.func.count() >= rule.host_concurrency)
    )
    lately = sa.select(job_pages.c.host).where(
        job_pages.c.taken_at > now - rule.host_interval_ms, named
    )
    return sa.union(many, lately)


def _host_is_free(connection: sa.Connection, host: str, rule: ClaimRule, now: int) -> bool:
    """Whether we may take a page of it, and no other process can until we are done."""
    if not host or connection.dialect.name != "postgresql":
        return True
    number = zlib.crc32(host.encode("utf-8")) - (1 << 31)
    lock = sa.select(sa.func.pg_try_advisory_xact_lock(_HOST_LOCKS, number))
    if not connection.execute(lock).scalar_one():
        return False
    return connection.execute(_busy(rule, now, host)).first() is None
