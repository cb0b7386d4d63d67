"""Transactions that write to the tables of jobs, on SQLite and PostgreSQL alike.

Whoever locks a job and its pages locks the job first, so that no two wait for each other.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

import sqlalchemy as sa

from compactor.storage import full_by_name


@contextmanager
def writing(engine: sa.Engine) -> Iterator[sa.Connection]:
    """A transaction; it is committed at the end of the block, and not if that raises.

    Raises:
        StorageFull: the disk is full; nothing was written.
    """
    with full_by_name(), engine.connect() as connection:
        if connection.dialect.name == "sqlite":
            # A transaction that reads first could not go on to write once another one has written.
            connection.exec_driver_sql("BEGIN IMMEDIATE")
        yield connection
        connection.commit()


def now_ms() -> int:
    """Milliseconds since 1970."""
    return time.time_ns() // 1_000_000
