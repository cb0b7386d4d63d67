"""Taking away: sessions on request or when nobody has written to them for long, and what only they held."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import sqlalchemy as sa

from compactor.archive import ObjectArchive
from compactor.ledger import HOLDINGS_LOCK
from compactor.store import SqlStore
from compactor.tables import holdings, sessions

#: Originals removed in one transaction; appends wait that long at most.
_BATCH = 50
_LOOK = 500
ArchiveOf = Callable[[str], ObjectArchive]


@dataclass(frozen=True, slots=True)
class Purged:
    """What was removed."""

    sessions: int = 0
    originals: int = 0

    def __add__(self, other: Purged) -> Purged:
        return Purged(self.sessions + other.sessions, self.originals + other.originals)


def purge_session(
    store: SqlStore, archive: ObjectArchive, session_id: str, *, tenant: str = ""
) -> Purged:
    """Remove a session, its log, and every original that no other session of the tenant holds.

    The rows go first: a crash in between leaves originals that ``collect`` finds, never a session without.

    Raises:
        NotFound: no such session for this tenant.
    """
    held = _held(store, [session_id])
    store.delete(session_id, tenant=tenant)
    return Purged(1, _release(store, archive, tenant, held.get(tenant, [])))


def purge_tenant(store: SqlStore, archive: ObjectArchive, tenant: str) -> Purged:
    """Remove all sessions of a tenant, and all originals that they held."""
    query = sa.select(sessions.c.id).where(sessions.c.tenant == tenant)
    with store.engine.connect() as connection:
        found = connection.execute(query).scalars().all()
    return _purge(store, lambda _: archive, found)


def sweep(store: SqlStore, archive_of: ArchiveOf, *, untouched_since: float) -> Purged:
    """Remove every session that nobody has written to since then, in seconds since 1970.

    One that is written to while this runs stays.
    """
    late = sessions.c.touched < int(untouched_since)
    with store.engine.connect() as connection:
        found = connection.execute(sa.select(sessions.c.id).where(late)).scalars().all()
    return _purge(store, archive_of, found, only=late)


def collect(store: SqlStore, archive: ObjectArchive, *, tenant: str, untouched_since: float) -> int:
    """Remove originals that no session holds and that are older than this; how many.

    They are what refused appends and crashes left. Give running appends an hour or more. Nothing is removed
    while there are sessions whose holdings were never entered: those written last by an older version.
    """
    unknown = sa.select(sa.func.count()).where(
        sessions.c.tenant == tenant, sessions.c.touched.is_(None)
    )
    with store.engine.connect() as connection:
        if connection.execute(unknown).scalar_one():
            return 0
    old, gone = list(archive.older_than(untouched_since)), 0
    for at in range(0, len(old), _LOOK):
        # Most are held: looked up without a lock first, so that appends wait for the rest only.
        batch = old[at : at + _LOOK]
        gone += _release(store, archive, tenant, sorted(_free(store, tenant, batch)))
    return gone


def _free(store: SqlStore, tenant: str, digests: Sequence[str]) -> set[str]:
    with store.engine.connect() as connection:
        return _not_held(connection, tenant, digests)


def _not_held(connection: sa.Connection, tenant: str, digests: Sequence[str]) -> set[str]:
    query = sa.select(holdings.c.digest).where(
        holdings.c.tenant == tenant, holdings.c.digest.in_(digests)
    )
    return set(digests).difference(connection.execute(query).scalars())


def _purge(
    store: SqlStore,
    archive_of: ArchiveOf,
    ids: Sequence[str],
    *,
    only: sa.ColumnElement[bool] | None = None,
) -> Purged:
    total = Purged()
    for session_id in ids:
        held = _held(store, [session_id])
        condition = sessions.c.id == session_id
        if only is not None:
            condition = sa.and_(condition, only)
        if not store.delete_where(condition):
            continue
        originals = sum(
            _release(store, archive_of(tenant), tenant, digests) for tenant, digests in held.items()
        )
        total += Purged(1, originals)
    return total


def _held(store: SqlStore, ids: Sequence[str]) -> dict[str, list[str]]:
    """Digests by tenant."""
    query = sa.select(holdings.c.tenant, holdings.c.digest).where(holdings.c.session_id.in_(ids))
    found: dict[str, dict[str, None]] = {}
    with store.engine.connect() as connection:
        for tenant, digest in connection.execute(query):
            found.setdefault(tenant, {})[digest] = None
    return {tenant: list(digests) for tenant, digests in found.items()}


def _release(store: SqlStore, archive: ObjectArchive, tenant: str, digests: Sequence[str]) -> int:
    """Remove those that nobody holds. Appends that would hold one wait, or are seen."""
    gone = 0
    for at in range(0, len(digests), _BATCH):
        batch = digests[at : at + _BATCH]
        with store.engine.connect() as connection:
            _alone(connection)
            gone += _remove(archive, _not_held(connection, tenant, batch))
            connection.rollback()
    return gone


def _remove(archive: ObjectArchive, digests: Iterable[str]) -> int:
    return sum(archive.remove(digest) for digest in sorted(digests))


def _alone(connection: sa.Connection) -> None:
    if connection.dialect.name == "postgresql":
        connection.execute(sa.text(f"SELECT pg_advisory_xact_lock({HOLDINGS_LOCK})"))
    else:
        connection.exec_driver_sql("BEGIN IMMEDIATE")
