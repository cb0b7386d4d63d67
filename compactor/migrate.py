"""Bring a database to the newest layout. Safe to run from several processes at once."""

from __future__ import annotations

from importlib.resources import files

import sqlalchemy as sa
from alembic import command
from alembic.config import Config

#: Any number that names this schema's lock among a PostgreSQL server's advisory locks.
_LOCK = 0x50461D
_FIRST = "0001"


def upgrade(engine: sa.Engine) -> None:
    """Run what is missing, one process at a time; a no-op on a database that is up to date."""
    with engine.connect() as connection:
        _lock(connection)
        config = Config()
        config.set_main_option("script_location", str(files("compactor") / "migrations"))
        config.attributes["connection"] = connection
        if _made_without_migrations(connection):
            command.stamp(config, _FIRST)
        command.upgrade(config, "head")
        connection.commit()


def _lock(connection: sa.Connection) -> None:
    """Held until the transaction ends."""
    if connection.dialect.name == "postgresql":
        connection.execute(sa.text(f"SELECT pg_advisory_xact_lock({_LOCK})"))
    else:
        connection.exec_driver_sql("BEGIN IMMEDIATE")


def _made_without_migrations(connection: sa.Connection) -> bool:
    tables = sa.inspect(connection).get_table_names()
    return "sessions" in tables and "alembic_version" not in tables
