"""Which originals a session holds, so that those that nobody holds any more can be removed.

A ledger stands between one session and its archive and log: it remembers what is put, and enters it together
with the append that needs it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import sqlalchemy as sa

from compactor.archive import Kept, ObjectArchive
from compactor.log import Beside, Entry, Keyed
from compactor.messages import Json, JsonObject
from compactor.store import SqlStore
from compactor.tables import holdings


@dataclass(frozen=True, slots=True)
class Held:
    """A put whose entry is not written yet; the value is kept until then."""

    kept: Kept
    value: Json


class Ledger:
    """A session's archive and log in one. Not safe for two threads at once, like the session."""

    def __init__(
        self, store: SqlStore, archive: ObjectArchive, session_id: str, *, tenant: str = ""
    ) -> None:
        self._store = store
        self._archive = archive
        self._session_id = session_id
        self._tenant = tenant
        self._known: set[str] | None = None
        self._new: dict[str, Held] = {}

    def put(self, value: Json) -> str:
        """Store an original; see ``ObjectArchive.put``."""
        kept = self._archive.keep(value)
        if self._known is None:
            self._known = self._entered()
        if kept.ref not in self._known:
            self._new[kept.ref] = Held(kept, value)
        return kept.ref

    def get(self, ref: str) -> Json:
        """The exact original; see ``ObjectArchive.get``."""
        return self._archive.get(ref)

    def commit(
        self,
        session_id: str,
        expected_version: int,
        entries: Sequence[Entry],
        keyed: Keyed | None,
        reply: JsonObject,
        *,
        beside: Beside | None = None,
    ) -> None:
        """As the store's, and enters what was put since the last time in the same transaction."""

        def write(connection: sa.Connection) -> None:
            self._enter(connection)
            if beside is not None:
                beside(connection)

        self._store.commit(session_id, expected_version, entries, keyed, reply, beside=write)
        self._settle()

    def flush(self) -> None:
        """Enter what was put by something that is no append: a context in another format, say."""
        if self._new and self._store.beside(self._session_id, self._enter):
            self._settle()

    def _settle(self) -> None:
        if self._new:
            self._known = (self._known or set()) | set(self._new)
            self._new = {}

    def _entered(self) -> set[str]:
        query = sa.select(holdings.c.ref).where(holdings.c.session_id == self._session_id)
        with self._store.engine.connect() as connection:
            return set(connection.execute(query).scalars())

    def _enter(self, connection: sa.Connection) -> None:
        """Inside a transaction that keeps removals out: ``retention`` waits for it, or it for that."""
        if not self._new:
            return
        if connection.dialect.name == "postgresql":
            connection.execute(sa.text(f"SELECT pg_advisory_xact_lock_shared({HOLDINGS_LOCK})"))
        query = sa.select(holdings.c.ref).where(holdings.c.session_id == self._session_id)
        there = set(connection.execute(query).scalars())
        rows = []
        for ref, held in self._new.items():
            if held.kept.existed:
                # The last other holder may have gone since, and the original with it.
                self._archive.keep(held.value)
            if ref not in there:
                rows.append(
                    {
                        "session_id": self._session_id,
                        "ref": ref,
                        "tenant": self._tenant,
                        "digest": held.kept.digest,
                    }
                )
        if rows:
            connection.execute(sa.insert(holdings), rows)


#: Any number that names, among a PostgreSQL server's advisory locks, the one over holdings.
HOLDINGS_LOCK = 0x50461E
