"""Snapshots on disk: content-addressed, compressed, verified when read from there."""

from __future__ import annotations

import errno
import hashlib
import os
import re
import secrets
import stat
import tempfile
from dataclasses import replace
from pathlib import Path

import zstandard

from extractor.errors import NotFound, SnapshotCorrupt, StorageFull
from extractor.recent import Recent, stamp_of
from extractor.snapshot import Snapshot

_ID = re.compile(r"[0-9a-f]{32}\Z")
_MAX_BYTES = 1 << 30
_DIGEST_BYTES = 32
_FULL = frozenset({errno.ENOSPC, errno.EDQUOT})
#: One folder name, the same on file systems that ignore case; ``""`` is the only tenant of all.
TENANT = re.compile(r"[a-z0-9][a-z0-9_-]{0,62}\Z")


class SnapshotStore:
    """A folder of snapshots by id. Safe for several processes: files appear whole or not at all."""

    def __init__(self, root: Path, recent: Recent | None = None) -> None:
        self.root, self.recent = root, recent or Recent()

    def of(self, tenant: str) -> SnapshotStore:
        """The part that belongs to one tenant; what others keep cannot be named in it.

        Raises:
            ValueError: that is no tenant's name.
        """
        if tenant == "":
            return self
        if TENANT.match(tenant) is None:
            raise ValueError(f"{tenant!r} cannot name a tenant")
        return SnapshotStore(self.root / "tenants" / tenant, self.recent)

    def _path(self, snapshot_id: str) -> Path:
        return self.root / snapshot_id[:2] / f"{snapshot_id}.html.zst"

    def save(self, snapshot: Snapshot) -> str:
        """Keep a snapshot; its id. Saving the same content again does nothing, or mends a damaged copy.

        Raises:
            StorageFull: the disk is full; the snapshot was not stored.
            OSError: the folder cannot be written.
        """
        snapshot_id = snapshot.id
        try:
            self._keep(snapshot_id, snapshot)
        except OSError as error:
            if error.errno not in _FULL:
                raise
            raise StorageFull(
                "The disk is full: the page could not be stored. With unfold=false it need not be.",
                detail=str(error),
            ) from error
        return snapshot_id

    def _keep(self, snapshot_id: str, snapshot: Snapshot) -> None:
        path = self._path(snapshot_id)
        path.parent.mkdir(parents=True, exist_ok=True)
        for name, picture in snapshot.pictures.items():
            digest = hashlib.sha256(picture).digest()
            self._write(self._picture(snapshot_id, name), digest + picture)
        if self.recent.get(path) is not None:
            return
        stamp = stamp_of(path)
        try:
            self._document(snapshot_id)
        except (NotFound, SnapshotCorrupt):
            self._write(path, zstandard.ZstdCompressor(level=3).compress(snapshot.to_bytes()))
            stamp = stamp_of(path)
        self.recent.put(path, stamp, snapshot)

    def _picture(self, snapshot_id: str, name: str) -> Path:
        return self._path(snapshot_id).with_name(f"{snapshot_id}.{name}")

    def _write(self, path: Path, packed: bytes) -> None:
        descriptor, name = tempfile.mkstemp(dir=path.parent, suffix=".part")
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(packed)
                file.flush()
                os.fsync(file.fileno())
            os.replace(name, path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
        folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)

    def load(self, snapshot_id: str, *, pictures: bool = True, looked_at: bool = False) -> Snapshot:
        """The snapshot with this id; without its ``pictures`` it keeps what is found in it, if it is recent.

        ``looked_at``: it will be asked for again soon, so one that is large stays for a while, too.

        Raises:
            NotFound: there is none, or ``snapshot_id`` is not 32 hex digits.
            SnapshotCorrupt: what is stored is not what was saved.
        """
        snapshot = self._kept(snapshot_id, looked_at=looked_at)
        return self._with_pictures(snapshot_id, snapshot) if pictures else snapshot

    def _with_pictures(self, snapshot_id: str, snapshot: Snapshot) -> Snapshot:
        pictures = dict[str, bytes]()
        for name in ("screenshot", "pdf"):
            try:
                packed = _plain(self._picture(snapshot_id, name))
            except FileNotFoundError:
                continue
            picture = packed[_DIGEST_BYTES:]
            if hashlib.sha256(picture).digest() != packed[:_DIGEST_BYTES]:
                raise SnapshotCorrupt(f"the stored {name} is not what was saved")
            pictures[name] = picture
        return replace(snapshot, pictures=pictures) if pictures else snapshot

    def _kept(self, snapshot_id: str, *, looked_at: bool) -> Snapshot:
        path = self._path(snapshot_id)
        found = self.recent.get(path)
        if found is None:
            stamp = stamp_of(path) if _ID.match(snapshot_id) else None
            found = self._document(snapshot_id)
            self.recent.put(path, stamp, found, large=looked_at)
        return found

    def _document(self, snapshot_id: str) -> Snapshot:
        if _ID.match(snapshot_id) is None:
            raise NotFound("a snapshot id has 32 hexadecimal digits", field="id")
        try:
            packed = _plain(self._path(snapshot_id))
        except FileNotFoundError as error:
            raise NotFound(
                "there is no such snapshot: it was not stored (unfold=false), or its time is over",
                field="id",
            ) from error
        try:
            data = zstandard.ZstdDecompressor().decompress(packed, max_output_size=_MAX_BYTES)
            snapshot = Snapshot.from_bytes(data)
        except (zstandard.ZstdError, ValueError, KeyError, TypeError) as error:
            raise SnapshotCorrupt(
                "the stored snapshot cannot be read", detail=str(error)
            ) from error
        if snapshot.id != snapshot_id:
            raise SnapshotCorrupt("the stored snapshot is not what was saved", detail=snapshot.id)
        return snapshot

    def fence_key(self) -> bytes:
        """The operator's key for fences; made once, beside the snapshots.

        Raises:
            OSError: the folder cannot be written.
        """
        path = self.root / "fence.key"
        if path.exists():
            return path.read_bytes()
        self.root.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(dir=self.root, suffix=".part")
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(secrets.token_bytes(32))
            # A link never replaces a file that another process made in the meantime.
            os.link(name, path)
        except FileExistsError:
            pass
        finally:
            Path(name).unlink(missing_ok=True)
        return path.read_bytes()


def _plain(path: Path) -> bytes:
    """The bytes of a plain file. Raises FileNotFoundError, and SnapshotCorrupt for links and the like."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise SnapshotCorrupt("the stored snapshot is no plain file", detail=str(error)) from error
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise SnapshotCorrupt("the stored snapshot is no plain file", detail=str(path))
    with os.fdopen(handle, "rb") as file:
        return file.read()
