"""Sessions and their events in SQL: SQLite by default, PostgreSQL by URL.

Every text that comes from outside is stored as ASCII-escaped JSON: databases reject NUL and lone
surrogates.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import sqlalchemy as sa

from compactor.audit import Row, checked, links, start_of
from compactor.errors import Conflict, InvalidRequest, LogCorrupt, NotFound, VersionMismatch
from compactor.log import Beside, Entry, Keyed
from compactor.messages import Json, JsonObject
from compactor.migrate import upgrade
from compactor.storage import full_by_name
from compactor.tables import events, idempotency, sessions


@dataclass(frozen=True, slots=True)
class Header:
    """What a session was opened with, and the version that its log is at."""

    session_id: str
    settings: JsonObject
    version: int


def open_database(url: str) -> sa.Engine:
    """The database at ``url``, brought to the newest layout. Whoever opens it disposes of it."""
    engine = sa.create_engine(url)
    if engine.dialect.name == "sqlite":
        sa.event.listen(engine, "connect", _configure_sqlite)
    try:
        upgrade(engine)
    except BaseException:
        engine.dispose()
        raise
    return engine


class SqlStore:
    """A ``SessionLog`` over SQLAlchemy. Blocking: asynchronous callers run it in a thread."""

    def __init__(self, url: str, *, clock: Callable[[], float] = time.time) -> None:
        """Raises LayoutTooNew for a database of a newer version, StorageFull on a full disk."""
        self._engine = open_database(url)
        self._clock = clock

    @property
    def engine(self) -> sa.Engine:
        """The database, for what else is kept in it."""
        return self._engine

    def close(self) -> None:
        """Give all connections back."""
        self._engine.dispose()

    def create(self, session_id: str, settings: JsonObject, *, tenant: str = "") -> None:
        """Open a session at version 0."""
        with full_by_name(), self._engine.begin() as connection:
            self.creating(session_id, settings, tenant=tenant)(connection)

    def creating(
        self,
        session_id: str,
        settings: JsonObject,
        *,
        tenant: str = "",
        entries: Sequence[Entry] = (),
    ) -> Beside:
        """What opens a session with its first entries, in a transaction that writes more than that."""
        row = {
            "id": session_id,
            "tenant": tenant,
            "header": _dump(settings),
            "version": len(entries),
            "touched": int(self._clock()),
        }

        def write(connection: sa.Connection) -> None:
            connection.execute(sa.insert(sessions).values(row))
            _insert(connection, session_id, entries)

        return write

    def header(self, session_id: str, *, tenant: str = "") -> Header:
        """Raises NotFound, also for another tenant's session."""
        query = sa.select(sessions.c.header, sessions.c.version).where(
            sessions.c.id == session_id, sessions.c.tenant == tenant
        )
        with self._engine.connect() as connection:
            row = connection.execute(query).one_or_none()
        if row is None:
            raise NotFound("There is no such session.", field="id")
        return Header(session_id, json.loads(row[0]), row[1])

    def entries(self, session_id: str, *, after: int = 0) -> list[Entry]:
        """Events from sequence number ``after`` on, in order, each checked against its chain.

        Raises:
            LogCorrupt: a row was edited, or one is missing.
        """
        query = (
            sa.select(events.c.seq, events.c.kind, events.c.body, events.c.link)
            .where(events.c.session_id == session_id, events.c.seq >= after)
            .order_by(events.c.seq)
        )
        with self._engine.connect() as connection:
            version = connection.execute(
                sa.select(sessions.c.version).where(sessions.c.id == session_id)
            ).scalar_one_or_none()
            before = start_of(connection, session_id, after)
            rows = [Row(*row) for row in connection.execute(query)]
        if version is None:
            return []
        found = checked(session_id, rows, before=before, after=after, version=version)
        if found is not None:
            raise LogCorrupt("The log of this session is damaged.", detail=found)
        return [Entry(row.seq, row.kind, json.loads(row.body)) for row in rows]

    def reply(self, session_id: str, keyed: Keyed) -> JsonObject | None:
        """What was answered to the same request before.

        Raises:
            InvalidRequest: the key came with another request.
        """
        query = sa.select(idempotency.c.fingerprint, idempotency.c.reply).where(
            idempotency.c.session_id == session_id, idempotency.c.key == keyed.key
        )
        with self._engine.connect() as connection:
            row = connection.execute(query).one_or_none()
        if row is None:
            return None
        if row[0] != keyed.fingerprint:
            raise InvalidRequest(
                "This Idempotency-Key was used for another request; use a new one.",
                field="Idempotency-Key",
            )
        found: JsonObject = json.loads(row[1])
        return found

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
        """Write entries, version and reply in one transaction; see ``SessionLog``.

        ``beside`` writes more in it, once the version is ours.

        Raises:
            StorageFull: the disk is full.
        """
        with full_by_name(), self._engine.begin() as connection:
            moved = connection.execute(
                sa.update(sessions)
                .where(sessions.c.id == session_id, sessions.c.version == expected_version)
                .values(version=expected_version + len(entries), touched=int(self._clock()))
            )
            if moved.rowcount != 1:
                raise VersionMismatch("The session has moved on; read it again and retry.")
            _insert(connection, session_id, entries)
            if keyed is not None:
                _keep_reply(connection, session_id, keyed, reply)
            if beside is not None:
                beside(connection)

    def beside(self, session_id: str, write: Beside) -> bool:
        """Run ``write`` in a transaction that holds the session's row; False if there is none."""
        with full_by_name(), self._engine.begin() as connection:
            # Takes the same locks as an append, so that the two never wait for each other.
            row = sa.update(sessions).where(sessions.c.id == session_id)
            if connection.execute(row.values(version=sessions.c.version)).rowcount != 1:
                return False
            write(connection)
        return True

    def tenants(self) -> list[str]:
        """Whose sessions there are."""
        query = sa.select(sessions.c.tenant).distinct().order_by(sessions.c.tenant)
        with self._engine.connect() as connection:
            return list(connection.execute(query).scalars())

    def delete(self, session_id: str, *, tenant: str = "") -> None:
        """Remove a session and its events. Raises NotFound."""
        condition = sa.and_(sessions.c.id == session_id, sessions.c.tenant == tenant)
        if not self.delete_where(condition):
            raise NotFound("There is no such session.", field="id")

    def delete_where(self, condition: sa.ColumnElement[bool]) -> int:
        """Remove sessions with their events, keys and holdings; how many."""
        with full_by_name(), self._engine.begin() as connection:
            gone = connection.execute(sa.delete(sessions).where(condition))
        return int(gone.rowcount)


def _insert(connection: sa.Connection, session_id: str, entries: Sequence[Entry]) -> None:
    """The rows of some entries, each with its link in the session's chain."""
    if not entries:
        return
    before = start_of(connection, session_id, entries[0].seq)
    rows = [Row(entry.seq, entry.kind, _dump(entry.body), "") for entry in entries]
    values = [
        {
            "session_id": session_id,
            "seq": row.seq,
            "kind": row.kind,
            "body": row.body,
            "link": link,
        }
        for row, link in zip(rows, links(before, rows), strict=True)
    ]
    connection.execute(sa.insert(events), values)


def _keep_reply(
    connection: sa.Connection, session_id: str, keyed: Keyed, reply: JsonObject
) -> None:
    values = {
        "session_id": session_id,
        "key": keyed.key,
        "fingerprint": keyed.fingerprint,
        "reply": _dump(reply),
    }
    try:
        connection.execute(sa.insert(idempotency).values(values))
    except sa.exc.IntegrityError as error:
        # Another process has answered this key since it was looked up.
        raise Conflict("A request with this Idempotency-Key was running; repeat it.") from error


def _dump(value: Json) -> str:
    return json.dumps(value, ensure_ascii=True, separators=(",", ":"))


def _configure_sqlite(connection: Json, record: object) -> None:
    cursor = connection.cursor()
    for pragma in ("journal_mode=WAL", "foreign_keys=ON", "synchronous=FULL", "busy_timeout=10000"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()
