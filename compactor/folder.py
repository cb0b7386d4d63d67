"""Files of an archive in a local folder: whole or not there, on the disk when the call returns."""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path


def write_new(root: Path, name: str, data: bytes) -> bool:
    """Make a file that is not there yet; False if it is. It never replaces one, nor appears in part.

    A temporary file is written and brought to the disk, then linked to its name, and so is the folder's
    entry.

    Raises:
        OSError: the folder cannot be written, or the disk is full.
    """
    return _write(root / name, data, replace=False)


def replace(root: Path, name: str, data: bytes) -> None:
    """As ``write_new``, in place of what stands there."""
    _write(root / name, data, replace=True)


def read_plain(root: Path, name: str) -> bytes | None:
    """The bytes of a plain file; ``None`` for everything else of that name, links above all.

    Raises:
        FileNotFoundError: there is nothing of that name.
    """
    try:
        handle = os.open(root / name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        raise
    except OSError:
        return None
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        return None
    with os.fdopen(handle, "rb") as file:
        return file.read()


def remove(root: Path, name: str) -> None:
    """Take a file away; one that is gone already is fine."""
    (root / name).unlink(missing_ok=True)


def _write(path: Path, data: bytes, *, replace: bool) -> bool:
    if not replace and os.path.lexists(path):
        return False
    if not path.parent.is_dir():
        path.parent.mkdir(parents=True, exist_ok=True)
        _sync_folder(path.parent.parent)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if replace:
            os.replace(temporary, path)
        else:
            # A link never replaces what another process has made in the meantime.
            os.link(temporary, path)
    except FileExistsError:
        return False
    finally:
        Path(temporary).unlink(missing_ok=True)
    _sync_folder(path.parent)
    return True


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
