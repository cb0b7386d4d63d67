"""A new job: checked as a whole before a row of it is written."""

from __future__ import annotations

import hashlib
import json
import secrets
import time
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import sqlalchemy as sa

from api.callers import Caller
from api.jobs.models import JobIn
from api.jobs.sealing import Seal
from api.jobs.writing import now_ms, writing
from api.page_request import page_request
from compactor.tables import job_pages, jobs
from extractor.egress.hosts import parse_host
from extractor.errors import Busy, InvalidRequest
from extractor.request import Delay

_RETRY_AFTER_S = 30.0


@dataclass(frozen=True, slots=True)
class NewJob:
    """A job that passed: rows of ``jobs`` and ``job_pages``, ready to be written."""

    job: dict[str, Any]
    pages: list[dict[str, Any]]

    @property
    def id(self) -> str:
        return str(self.job["id"])


def checked_job(body: JobIn, caller: Caller, seal: Seal, *, most: int) -> NewJob:
    """The rows of a job. Every page is checked as a request; addresses are judged when it is read.

    Raises:
        InvalidRequest: too many pages, or one that is no page request; ``field`` says which.
        Forbidden: the caller's key does not allow what a page asks for.
    """
    if len(body.pages) > most:
        raise InvalidRequest(
            f"A job may have {most} pages (setting PAGEFOLD_JOB_MAX_PAGES); send several jobs.",
            field="pages",
        )
    job_id, now = secrets.token_hex(16), now_ms()
    pages = []
    for position, page in enumerate(body.pages):
        own = {"url": page} if isinstance(page, str) else page
        wanted = page_request({**body.options, **own}, prefix=f"pages.{position}")
        if isinstance(wanted.wait, Delay) and wanted.wait.predicate is not None:
            caller.require("execute")
        row = {
            "job_id": job_id,
            "position": position,
            "state": "waiting",
            "request": seal.close(own),
            "url": None if wanted.url is None else json.dumps(wanted.url),
            "host": _host_of(wanted.url),
            "not_before": now,
            "tries": 0,
        }
        pages.append(row)
    job = {
        "id": job_id,
        "tenant": caller.tenant,
        "state": "running",
        "created_at": now,
        "turn": time.time_ns() // 1000,
        "total": len(pages),
        "done": 0,
        "failed": 0,
        "last_number": 0,
        "seal": seal.name,
        "options": seal.close(body.options),
    }
    return NewJob(job, pages)


def fingerprint_of(body: JobIn) -> str:
    """A digest of everything in a request, its secret too."""
    shown = body.model_dump(mode="json", exclude={"webhook"})
    hook = body.webhook
    if hook is not None:
        secret = hook.secret.get_secret_value() if hook.secret else None
        shown["webhook"] = [hook.url, secret, hook.every]
    written = json.dumps(shown, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(written.encode("ascii")).hexdigest()


def known_job(engine: sa.Engine, tenant: str, key: str, fingerprint: str) -> str | None:
    """The id of the job that the same request has made before.

    Raises:
        InvalidRequest: the key came with another request.
    """
    query = sa.select(jobs.c.id, jobs.c.fingerprint).where(
        jobs.c.tenant == tenant,
        jobs.c.idempotency_key == key,
        jobs.c.state != "forgotten",
    )
    with engine.connect() as connection:
        row = connection.execute(query).one_or_none()
    if row is None:
        return None
    if row.fingerprint != fingerprint:
        raise InvalidRequest(
            "This Idempotency-Key was used for another request; use a new one.",
            field="Idempotency-Key",
        )
    return str(row.id)


def write_job(engine: sa.Engine, new: NewJob, *, most_active: int) -> bool:
    """Keep a job; False if another one with its idempotency key was faster.

    Raises:
        Busy: the tenant has too many jobs that have not ended.
        StorageFull: the disk is full; nothing was written.
    """
    active = sa.select(sa.func.count()).where(
        jobs.c.tenant == new.job["tenant"], jobs.c.state == "running"
    )
    try:
        with writing(engine) as connection:
            if connection.execute(active).scalar_one() >= most_active:
                raise Busy(
                    f"{most_active} jobs are running already (setting PAGEFOLD_JOB_MAX_ACTIVE); wait "
                    "for one to end, or cancel one.",
                    retry_after_s=_RETRY_AFTER_S,
                )
            connection.execute(sa.insert(jobs).values(new.job))
            connection.execute(sa.insert(job_pages), new.pages)
    except sa.exc.IntegrityError:
        if not new.job.get("idempotency_key"):
            raise
        return False
    return True


def _host_of(url: str | None) -> str:
    """The host by which pages are counted; empty where there is none, or no valid one."""
    try:
        host = urlsplit(url or "").hostname or ""
        return str(parse_host(f"[{host}]" if ":" in host else host)) if host else ""
    except ValueError:
        return ""
