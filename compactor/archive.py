"""Originals, kept without loss under their SHA-256.

Each original is one JSON value, stored as ASCII-escaped JSON bytes: that keeps key order, NUL and
lone surrogates. ``sha256/<hash>`` holds the bytes, ``refs/<short>`` the whole hash behind a short
ref.
"""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Protocol

from obstore.exceptions import AlreadyExistsError, NotFoundError
from obstore.store import LocalStore, MemoryStore, ObjectStore

from compactor.errors import ArtifactCorrupt, NotFound
from compactor.messages import Json

SHORTEST = 8


class Archive(Protocol):
    """What the stages need of an archive."""

    def put(self, value: Json) -> str:
        """Store an original; its short ref (``a:`` and 8 or more hex digits)."""
        ...

    def get(self, ref: str) -> Json:
        """The exact original. Raises NotFound or ArtifactCorrupt."""
        ...


def _sync(path: Path) -> None:
    """Bring a file and its folder's entry to the disk, so that they survive a power cut."""
    for part, flags in ((path, os.O_RDONLY), (path.parent, os.O_RDONLY | os.O_DIRECTORY)):
        handle = os.open(part, flags)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


class ObjectArchive:
    """An archive in any object store that obstore speaks: memory, a local folder, S3-compatible."""

    def __init__(self, store: ObjectStore | None = None) -> None:
        self._store: ObjectStore = store if store is not None else MemoryStore()

    def put(self, value: Json) -> str:
        """Store a JSON value, read it back, and name it. Storing the same again gives the same ref.

        Raises:
            ArtifactCorrupt: what was read back is not what was written.
        """
        data = json.dumps(value, ensure_ascii=True, separators=(",", ":")).encode("ascii")
        digest = hashlib.sha256(data).hexdigest()
        self._create(f"sha256/{digest}", data)
        self._verified(digest)
        for length in range(SHORTEST, len(digest) + 1):
            short = digest[:length]
            # The first original with a prefix owns it for good, so a ref never changes its meaning.
            if self._create(f"refs/{short}", digest.encode()) or self._read(short) == digest:
                return f"a:{short}"
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
        if digest is None or not digest.startswith(short):
            raise NotFound(f"Nothing is archived under {ref!r}.", field="ref")
        return json.loads(self._verified(digest))

    def _create(self, path: str, data: bytes) -> bool:
        try:
            self._store.put(path, data, mode="create")
        except AlreadyExistsError:
            return False
        if isinstance(self._store, LocalStore) and self._store.prefix is not None:
            _sync(Path(self._store.prefix) / path)
        return True

    def _read(self, short: str) -> str | None:
        if any(digit not in "0123456789abcdef" for digit in short):
            return None
        try:
            return bytes(self._store.get(f"refs/{short}").bytes()).decode("ascii", "replace")
        except (NotFoundError, FileNotFoundError):
            return None

    def _verified(self, digest: str) -> bytes:
        try:
            data = bytes(self._store.get(f"sha256/{digest}").bytes())
        except (NotFoundError, FileNotFoundError) as error:
            raise ArtifactCorrupt("An archived original is gone.", detail=digest) from error
        if hashlib.sha256(data).hexdigest() != digest:
            raise ArtifactCorrupt("An archived original does not match its hash.", detail=digest)
        return data
