"""Databases of every past layout are brought to the newest one, with a copy; newer ones are refused."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext

from compactor import SqlStore
from compactor import migrate as migrating
from compactor.audit import audit
from compactor.chain import first_link, next_link
from compactor.errors import LayoutTooNew
from compactor.migrate import layout_of, newest_layout, upgrade
from compactor.tables import metadata
from tests.compactor.postgres import running_postgres
from tests.faults.state import session_in, stored

LAYOUTS = ["0001", "0002", "0003", "0004"]
BODIES = [
    '{"format":"anthropic","pinned":false,"raw":{"role":"user","content":"caf\\u00e9 \\u0000"}}',
    '{"format":"anthropic","pinned":false,"raw":{"role":"assistant","content":"\\ud800 yes"}}',
]


def _made(url: str, layout: str) -> None:
    """A database as the version of this layout has left it."""
    engine = sa.create_engine(url)
    upgrade(engine, to=layout)
    with engine.begin() as connection:
        connection.execute(
            sa.text("INSERT INTO sessions (id, tenant, header, version) VALUES ('s1', '', '{}', 2)")
        )
        for seq, body in enumerate(BODIES):
            connection.execute(
                sa.text("INSERT INTO events (session_id, seq, kind, body) VALUES (:s, :q, :k, :b)"),
                {"s": "s1", "q": seq, "k": "message", "b": body},
            )
        connection.execute(
            sa.text(
                "INSERT INTO idempotency (session_id, key, fingerprint, reply) "
                "VALUES ('s1', 'k', 'f', '{}')"
            )
        )
        if layout >= "0003":
            _link_up(connection)
    engine.dispose()


def _link_up(connection: sa.Connection) -> None:
    """Write the chain of hashes, which layouts have had since the third."""
    link = first_link("s1", "{}")
    for seq, body in enumerate(BODIES):
        link = next_link(link, seq, "message", body)
        connection.execute(
            sa.text("UPDATE events SET link = :link WHERE seq = :seq"), {"link": link, "seq": seq}
        )


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'sessions.db'}"
    else:
        with running_postgres() as url:
            yield url


def test_every_layout_has_its_golden_database() -> None:
    assert newest_layout() == LAYOUTS[-1]


def test_data_of_every_past_layout_survives(database: str) -> None:
    for layout in LAYOUTS[:-1]:
        _made(database, layout)
        store = SqlStore(database)
        assert [entry.body["raw"]["content"] for entry in store.entries("s1")] == [
            "café \x00",
            "\ud800 yes",
        ]
        assert store.header("s1").version == 2
        assert list(audit(store.engine)) == []
        store.commit("s1", 2, [], None, {})
        with store.engine.connect() as connection:
            assert layout_of(connection) == LAYOUTS[-1]
            keys = connection.execute(sa.text("SELECT count(*) FROM idempotency")).scalar_one()
            assert keys == 1
        _empty(store)


def _empty(store: SqlStore) -> None:
    with store.engine.begin() as connection:
        connection.execute(sa.text("DROP TABLE alembic_version"))
        metadata.drop_all(connection)
    store.close()


def test_newest_layout_is_what_the_code_describes(database: str) -> None:
    store = SqlStore(database)
    with store.engine.connect() as connection:
        found = compare_metadata(MigrationContext.configure(connection), metadata)
    store.close()
    assert found == []


@pytest.mark.parametrize("layout", LAYOUTS[:-1])
def test_file_is_copied_before_its_layout_changes(layout: str, tmp_path: Path) -> None:
    path = tmp_path / "sessions.db"
    _made(f"sqlite:///{path}", layout)
    SqlStore(f"sqlite:///{path}").close()
    copy = tmp_path / f"sessions.db.before-{LAYOUTS[-1]}"
    with sqlite3.connect(copy) as connection:
        assert connection.execute("SELECT version_num FROM alembic_version").fetchone() == (layout,)
        assert connection.execute("SELECT body FROM events ORDER BY seq").fetchall() == [
            (body,) for body in BODIES
        ]
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    connection.close()
    # The copy works where it came from.
    path.unlink()
    copy.rename(path)
    store, archive = stored(tmp_path)
    assert session_in(store, archive, "s1", new=False).version == 2
    store.close()


def test_database_from_before_there_were_layouts_is_taken_for_the_first(tmp_path: Path) -> None:
    path = tmp_path / "sessions.db"
    _made(f"sqlite:///{path}", "0001")
    with sqlite3.connect(path) as connection:
        connection.execute("DROP TABLE alembic_version")
    connection.close()
    store = SqlStore(f"sqlite:///{path}")
    assert len(store.entries("s1")) == 2
    store.close()
    assert (tmp_path / f"sessions.db.before-{LAYOUTS[-1]}").exists()


def test_a_database_that_is_up_to_date_is_not_copied(tmp_path: Path) -> None:
    for _ in range(2):
        SqlStore(f"sqlite:///{tmp_path / 'sessions.db'}").close()
    assert list(tmp_path.glob("*before*")) == []


def test_newer_layout_is_refused_and_left_alone(database: str) -> None:
    store = SqlStore(database)
    store.create("s1", {})
    with store.engine.begin() as connection:
        connection.execute(sa.text("UPDATE alembic_version SET version_num = '0999'"))
    store.close()
    with pytest.raises(LayoutTooNew, match=f"0999.*{LAYOUTS[-1]}"):
        SqlStore(database)
    engine = sa.create_engine(database)
    with engine.connect() as connection:
        assert layout_of(connection) == "0999"
        assert connection.execute(sa.text("SELECT id FROM sessions")).scalars().all() == ["s1"]
    engine.dispose()


def test_change_of_layout_that_fails_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "sessions.db"
    _made(f"sqlite:///{path}", "0001")
    real = command.upgrade

    def fails(*given: Any, **named: Any) -> None:
        real(*given, **named)
        raise RuntimeError("power cut")

    with monkeypatch.context() as patch:
        patch.setattr(migrating.command, "upgrade", fails)
        with pytest.raises(RuntimeError, match="power cut"):
            SqlStore(f"sqlite:///{path}")
    engine = sa.create_engine(f"sqlite:///{path}")
    with engine.connect() as connection:
        assert layout_of(connection) == "0001"
    engine.dispose()
    store = SqlStore(f"sqlite:///{path}")
    assert len(store.entries("s1")) == 2
    store.close()
