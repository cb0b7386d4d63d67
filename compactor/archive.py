"""Originals, kept without loss under their SHA-256.

Each original is one JSON value, stored as ASCII-escaped JSON bytes: that keeps key order, NUL and
lone surrogates. ``sha256/<hash>`` holds the bytes, ``refs/<short>`` the whole hash behind a short
ref.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from obstore.exceptions import AlreadyExistsError, NotFoundError
from obstore.store import LocalStore, MemoryStore, ObjectStore

from compactor import folder
from compactor.errors import ArtifactCorrupt, NotFound
from compactor.messages import Json
from compactor.storage import full_by_name

SHORTEST = 8
#: Two hashes that share so much of their start are not to be expected.
_LONGEST_REMOVED = SHORTEST + 5
_HEX_DIGITS = frozenset("0123456789abcdef")
_ENCODER = json.JSONEncoder(ensure_ascii=True, separators=(",", ":"))
_DIGEST = re.compile(r"[0-9a-f]{64}\Z")


class Archive(Protocol):
    """What the stages need of an archive."""

    def put(self, value: Json) -> str:
        """Store an original; its short ref (``a:`` and 8 or more hex digits)."""
        ...

    def get(self, ref: str) -> Json:
        """The exact original. Raises NotFound or ArtifactCorrupt."""
        ...


def holds(archive: Archive, value: Json) -> bool:
    """Whether this very value was put into an archive, which is only read. As many reads as refs collide.

    Raises:
        TypeError, ValueError: the value is no JSON.
    """
    data = _bytes_of(value)
    digest = hashlib.sha256(data).hexdigest()
    for length in range(SHORTEST, len(digest) + 1):
        try:
            if _bytes_of(archive.get(f"a:{digest[:length]}")) == data:
                return True
        except (NotFound, ArtifactCorrupt):
            return False
    return False


@dataclass(frozen=True, slots=True)
class Kept:
    """Where a value was put: its ref, the hash of its bytes, and whether it was there before."""

    ref: str
    digest: str
    existed: bool


class ObjectArchive:
    """An archive in any object store that obstore speaks: memory, a local folder, S3-compatible.

    In a local folder a file appears whole and is on the disk when ``put`` returns; links and everything
    else that is no plain file is never followed.
    """

    def __init__(self, store: ObjectStore | None = None) -> None:
        self._store: ObjectStore = store if store is not None else MemoryStore()
        prefix = self._store.prefix if isinstance(self._store, LocalStore) else None
        self._root = None if prefix is None else Path(str(prefix))

    def put(self, value: Json) -> str:
        """Store a JSON value, read it back, and name it. Storing the same again gives the same ref.

        Raises:
            ArtifactCorrupt: what was read back is not what was written.
            StorageFull: there is no room for it.
        """
        return self.keep(value).ref

    def keep(self, value: Json) -> Kept:
        """As ``put``, with what a ledger wants to know. A damaged copy of the same value is mended."""
        data = _bytes_of(value)
        digest = hashlib.sha256(data).hexdigest()
        with full_by_name():
            created = self._create(f"sha256/{digest}", data)
            if created or self._stored(digest) != data:
                if not created:
                    self._replace(f"sha256/{digest}", data)
                self._verified(digest)
            for length in range(SHORTEST, len(digest) + 1):
                short = digest[:length]
                # The first original with a prefix owns it for good: a ref never changes its meaning.
                if self._create(f"refs/{short}", digest.encode()) or self._read(short) == digest:
                    return Kept(f"a:{short}", digest, not created)
        raise ArtifactCorrupt("The archive's index of refs is damaged.", detail=digest)

    def get(self, ref: str) -> Json:
        """The original behind a ref, verified against its hash.

        Raises:
            NotFound: no such ref.
            ArtifactCorrupt: the stored bytes do not match their hash.
        """
        short = ref.removeprefix("a:")
        if not ref.startswith("a:") or not (SHORTEST <= len(short) <= 64):
            raise NotFound(f"{ref!r} is no archive ref; refs look like a:1f3c9b2e.", field="ref")
        digest = self._read(short)
        if digest is None:
            raise NotFound(f"Nothing is archived under {ref!r}.", field="ref")
        if not digest.startswith(short) or _DIGEST.match(digest) is None:
            raise ArtifactCorrupt("The archive's index of refs is damaged.", detail=f"refs/{short}")
        return json.loads(self._verified(digest))

    def remove(self, digest: str) -> bool:
        """Take an original away, with the refs that name it; whether it was there."""
        if _DIGEST.match(digest) is None:
            return False
        for length in range(SHORTEST, _LONGEST_REMOVED):
            if self._read(digest[:length]) == digest:
                self._delete(f"refs/{digest[:length]}")
        there = self._stored(digest) is not None
        self._delete(f"sha256/{digest}")
        return there

    def older_than(self, seconds: float) -> Iterator[str]:
        """Digests of what was stored before then, in seconds since 1970."""
        for batch in self._store.list("sha256"):
            for item in batch:
                name = str(item["path"]).rpartition("/")[2]
                if _DIGEST.match(name) and item["last_modified"].timestamp() < seconds:
                    yield name

    def _delete(self, path: str) -> None:
        if self._root is not None:
            folder.remove(self._root, path)
            return
        with suppress(NotFoundError, FileNotFoundError):
            self._store.delete(path)

    def _create(self, path: str, data: bytes) -> bool:
        if self._root is not None:
            return folder.write_new(self._root, path, data)
        try:
            self._store.put(path, data, mode="create")
        except AlreadyExistsError:
            return False
        return True

    def _replace(self, path: str, data: bytes) -> None:
        if self._root is not None:
            folder.replace(self._root, path, data)
        else:
            self._store.put(path, data, mode="overwrite")

    def _load(self, path: str) -> bytes | None:
        """``None`` for what is no plain file. Raises FileNotFoundError."""
        if self._root is not None:
            return folder.read_plain(self._root, path)
        try:
            return bytes(self._store.get(path).bytes())
        except NotFoundError as error:
            raise FileNotFoundError(path) from error

    def _read(self, short: str) -> str | None:
        if not _HEX_DIGITS.issuperset(short):
            return None
        try:
            data = self._load(f"refs/{short}")
        except FileNotFoundError:
            return None
        return "" if data is None else data.decode("ascii", "replace")

    def _stored(self, digest: str) -> bytes | None:
        try:
            return self._load(f"sha256/{digest}")
        except FileNotFoundError:
            return None

    def _verified(self, digest: str) -> bytes:
        try:
            data = self._load(f"sha256/{digest}")
        except FileNotFoundError as error:
            raise ArtifactCorrupt("An archived original is gone.", detail=digest) from error
        if data is None:
            raise ArtifactCorrupt("An archived original is no plain file.", detail=digest)
        if hashlib.sha256(data).hexdigest() != digest:
            raise ArtifactCorrupt("An archived original does not match its hash.", detail=digest)
        return data


def _bytes_of(value: Json) -> bytes:
    return _ENCODER.encode(value).encode("ascii")
