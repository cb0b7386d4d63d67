"""Sessions and their events in SQL: SQLite by default, PostgreSQL by URL.

Every text that comes from outside is stored as ASCII-escaped JSON: databases reject NUL and lone
surrogates.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

import sqlalchemy as sa

from compactor.errors import Conflict, InvalidRequest, NotFound, VersionMismatch
from compactor.log import Entry, Keyed
from compactor.messages import Json, JsonObject
from compactor.migrate import upgrade
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
    upgrade(engine)
    return engine


class SqlStore:
    """A ``SessionLog`` over SQLAlchemy. Blocking: asynchronous callers run it in a thread."""

    def __init__(self, url: str) -> None:
        self._engine = open_database(url)

    @property
    def engine(self) -> sa.Engine:
        """The database, for what else is kept in it."""
        return self._engine

    def close(self) -> None:
        """Give all connections back."""
        self._engine.dispose()

    def create(self, session_id: str, settings: JsonObject, *, tenant: str = "") -> None:
        """Open a session at version 0."""
        row = {"id": session_id, "tenant": tenant, "header": _dump(settings), "version": 0}
        with self._engine.begin() as connection:
            connection.execute(sa.insert(sessions).values(row))

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
        """Events from sequence number ``after`` on, in order."""
        query = (
            sa.select(events.c.seq, events.c.kind, events.c.body)
            .where(events.c.session_id == session_id, events.c.seq >= after)
            .order_by(events.c.seq)
        )
        with self._engine.connect() as connection:
            rows = connection.execute(query).all()
        return [Entry(seq, kind, json.loads(body)) for seq, kind, body in rows]

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
    ) -> None:
        """Write entries, version and reply in one transaction; see ``SessionLog``."""
        with self._engine.begin() as connection:
            moved = connection.execute(
                sa.update(sessions)
                .where(sessions.c.id == session_id, sessions.c.version == expected_version)
                .values(version=expected_version + len(entries))
            )
            if moved.rowcount != 1:
                raise VersionMismatch("The session has moved on; read it again and retry.")
            if entries:
                rows = [
                    {"session_id": session_id, "seq": e.seq, "kind": e.kind, "body": _dump(e.body)}
                    for e in entries
                ]
                connection.execute(sa.insert(events), rows)
            if keyed is not None:
                _keep_reply(connection, session_id, keyed, reply)

    def delete(self, session_id: str, *, tenant: str = "") -> None:
        """Remove a session and its events. Raises NotFound."""
        condition = sa.and_(sessions.c.id == session_id, sessions.c.tenant == tenant)
        with self._engine.begin() as connection:
            gone = connection.execute(sa.delete(sessions).where(condition))
        if gone.rowcount != 1:
            raise NotFound("There is no such session.", field="id")


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
