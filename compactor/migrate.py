"""Bring a database to the newest layout. Safe to run from several processes at once."""

from __future__ import annotations

import os
import sqlite3
from importlib.resources import files
from pathlib import Path

import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory

from compactor.errors import LayoutTooNew
from compactor.storage import full_by_name

#: Any number that names this schema's lock among a PostgreSQL server's advisory locks.
_LOCK = 0x50461D
_FIRST = "0001"


def upgrade(engine: sa.Engine, to: str = "head") -> None:
    """Run what is missing, one process at a time; a no-op on a database that is up to date.

    An SQLite file with another layout is copied first, to ``<name>.before-<new layout>`` beside it.
    There is no way back: an older version refuses the database, and takes the copy.

    Raises:
        LayoutTooNew: a newer version has written it; nothing was changed.
        StorageFull: there is no room for the copy or the new layout.
    """
    with full_by_name(), engine.connect() as connection:
        lock(connection)
        config = _config()
        config.attributes["connection"] = connection
        scripts = ScriptDirectory.from_config(config)
        found = layout_of(connection)
        wanted = scripts.get_current_head() if to == "head" else to
        if found == wanted:
            connection.rollback()
            return
        if found is not None:
            _refuse_unknown(found, scripts)
            _copy(engine, f"before-{wanted}")
        if _made_without_migrations(connection):
            command.stamp(config, _FIRST)
        command.upgrade(config, to)
        connection.commit()


def newest_layout() -> str | None:
    """The number of the layout that this version writes."""
    return ScriptDirectory.from_config(_config()).get_current_head()


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(files("compactor") / "migrations"))
    return config


def layout_of(connection: sa.Connection) -> str | None:
    """The layout's number; ``None`` for an empty database."""
    if _made_without_migrations(connection):
        return _FIRST
    return MigrationContext.configure(connection).get_current_revision()


def lock(connection: sa.Connection) -> None:
    """Wait until no other process holds it; held until the transaction ends."""
    if connection.dialect.name == "postgresql":
        connection.execute(sa.text(f"SELECT pg_advisory_xact_lock({_LOCK})"))
    else:
        connection.exec_driver_sql("BEGIN IMMEDIATE")


def _refuse_unknown(found: str, scripts: ScriptDirectory) -> None:
    known = {script.revision for script in scripts.walk_revisions()}
    if found in known:
        return
    raise LayoutTooNew(
        f"The database has layout {found}, this version knows up to {max(known)}: run the version "
        "that wrote it, or the copy that it made before it changed the layout.",
        detail=found,
    )


def _copy(engine: sa.Engine, suffix: str) -> None:
    """A copy of an SQLite file, whole and on the disk before its name appears."""
    name = engine.url.database
    if engine.dialect.name != "sqlite" or not name or name == ":memory:":
        return
    path = Path(f"{name}.{suffix}")
    part = Path(f"{name}.{suffix}.part")
    part.unlink(missing_ok=True)
    source, target = sqlite3.connect(name), sqlite3.connect(part)
    try:
        source.backup(target)
    finally:
        source.close()
        target.close()
    with part.open("rb+") as file:
        os.fsync(file.fileno())
    part.replace(path)


def _made_without_migrations(connection: sa.Connection) -> bool:
    tables = sa.inspect(connection).get_table_names()
    return "sessions" in tables and "alembic_version" not in tables
