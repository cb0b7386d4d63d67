"""Looks from time to time for sessions that have outlived their time, and removes them."""

from __future__ import annotations

import asyncio
import time

import structlog

from api.session_pool import SessionDeps
from api.threads import run_to_end
from compactor import ObjectArchive
from compactor.retention import Purged, collect, sweep

#: No append runs that long.
_ORPHAN_AGE_S = 86_400
_log = structlog.get_logger("pagefold.sweeping")


async def keep_sweeping(deps: SessionDeps, *, ttl_s: int | None, interval_s: float) -> None:
    """Sweep at once and then every so often, until cancelled; without ``ttl_s`` sessions stay."""
    while True:
        try:
            gone = await run_to_end(lambda: sweep_once(deps, ttl_s))
        except Exception:  # a full disk or a lost database must not end the sweeping
            _log.exception("sweep_failed")
        else:
            if gone != Purged():
                _log.info("swept", sessions=gone.sessions, originals=gone.originals)
        await asyncio.sleep(interval_s)


def sweep_once(deps: SessionDeps, ttl_s: float | None) -> Purged:
    """Remove sessions older than ``ttl_s``, and what crashes and refused appends left a day ago."""

    def archive_of(tenant: str) -> ObjectArchive:
        archive = deps.archive_for(tenant)
        assert isinstance(archive, ObjectArchive)  # the service makes no other
        return archive

    now, total = time.time(), Purged()
    if ttl_s is not None:
        total = sweep(deps.store, archive_of, untouched_since=now - ttl_s)
    for tenant in deps.store.tenants():
        left = collect(
            deps.store, archive_of(tenant), tenant=tenant, untouched_since=now - _ORPHAN_AGE_S
        )
        total += Purged(0, left)
    return total
