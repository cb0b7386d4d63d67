"""A file that appears whole or not at all."""

from __future__ import annotations

import errno
import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from batch.errors import OutputFull

_FULL = frozenset({errno.ENOSPC, errno.EDQUOT})
#: What a file that is being written is called; nothing of that name is ever read.
TEMPORARY = ".tmp"


@contextmanager
def appearing(path: Path) -> Iterator[BinaryIO]:
    """Write a file beside its place, and put it there when the block ends: synced, then renamed.

    Raises:
        OutputFull: the disk is full; nothing stands in its place.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}{TEMPORARY}")
    try:
        with beside.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
        _sync_folder(path.parent)
    except OSError as error:
        if error.errno in _FULL:
            raise OutputFull(f"{path.parent}: the disk is full; make room and resume") from error
        raise
    finally:
        beside.unlink(missing_ok=True)


def sweep(folder: Path) -> None:
    """Remove what a killed process was writing."""
    for left in folder.rglob(f".*{TEMPORARY}"):
        left.unlink(missing_ok=True)


def sha256_of(path: Path) -> str:
    """Of a file's bytes, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
