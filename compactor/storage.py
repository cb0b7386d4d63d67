"""Failures of databases and disks by name."""

from __future__ import annotations

import errno
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

import sqlalchemy as sa

from compactor.errors import StorageFull

_FULL = frozenset({errno.ENOSPC, errno.EDQUOT})
#: SQLite says so when it cannot write a page, or make room for its shared memory.
_SQLITE_FULL = frozenset(
    {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_WRITE, sqlite3.SQLITE_IOERR_SHMSIZE}
)
_POSTGRES_FULL = "53100"


@contextmanager
def full_by_name() -> Iterator[None]:
    """What is done here fails with ``StorageFull`` when the disk is full; nothing was kept then."""
    try:
        yield
    except OSError as error:
        if error.errno not in _FULL:
            raise
        raise _full(error) from error
    except sa.exc.DBAPIError as error:
        code = getattr(error.orig, "sqlite_errorcode", None)
        state = getattr(error.orig, "sqlstate", None)
        if code not in _SQLITE_FULL and state != _POSTGRES_FULL:
            raise
        raise _full(error) from error


def _full(error: Exception) -> StorageFull:
    return StorageFull(
        "The disk is full: nothing was written, what was there can be read.", detail=str(error)
    )
