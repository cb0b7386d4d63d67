"""Sessions with a database, an archive and the HTTP routes, for tests of what may befall them."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

from fastapi.testclient import TestClient
from obstore.store import LocalStore

from compactor import ObjectArchive, Policy, Session, SqlStore
from compactor.ledger import Ledger
from testbed.session_service import build

LONG = "line of a long result\n" * 1_000


def client_at(folder: Path) -> TestClient:
    """A client of a service that keeps everything in this folder; a second one is a restart."""
    return TestClient(build(folder, f"sqlite:///{folder / 'sessions.db'}"))


def opened(client: TestClient, **settings: Any) -> str:
    """The path of a new session."""
    body = {"budget_chars": 40_000, **settings}
    return f"/v1/sessions/{client.post('/v1/sessions', json=body).json()['id']}"


def turn(number: int, content: str = LONG) -> dict[str, Any]:
    """A body that appends a call and a result, long enough to be cut and archived."""
    call = {"type": "tool_use", "id": f"c{number}", "name": "t", "input": {"n": number}}
    result = {"type": "tool_result", "tool_use_id": f"c{number}", "content": f"{number} {content}"}
    return {
        "messages": [
            {"role": "assistant", "content": [call]},
            {"role": "user", "content": [result]},
        ]
    }


def stored(folder: Path, tenant: str = "") -> tuple[SqlStore, ObjectArchive]:
    """A store and an archive in a folder."""
    below = folder / "archive" / tenant
    archive = ObjectArchive(LocalStore(prefix=str(below), mkdir=True))
    return SqlStore(f"sqlite:///{folder / 'sessions.db'}"), archive


def session_in(
    store: SqlStore, archive: ObjectArchive, name: str, *, tenant: str = "", new: bool = True
) -> Session:
    """A session that enters what it holds; with ``new`` it is opened first, else rebuilt."""
    if new:
        store.create(name, {}, tenant=tenant)
    ledger = Ledger(store, archive, name, tenant=tenant)
    session = Session(
        Policy.preset(budget_chars=40_000), archive=ledger, store=ledger, session_id=name
    )
    session.replay(store.entries(name))
    return session


def rows(folder: Path, query: str, *values: Any) -> list[Any]:
    """What a query by hand gives, committed."""
    with sqlite3.connect(folder / "sessions.db") as connection:
        found = connection.execute(query, values).fetchall()
    connection.close()
    return found
