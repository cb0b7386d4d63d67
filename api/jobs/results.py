"""Pages of jobs in an object store: compressed, named by their hash, verified when they are read."""

from __future__ import annotations

import hashlib
import re
import shutil
from contextlib import suppress
from pathlib import Path

import zstandard
from obstore.exceptions import AlreadyExistsError, NotFoundError
from obstore.store import ObjectStore

from api.object_stores import store_at
from api.settings import ApiSettings
from compactor import folder
from compactor.storage import full_by_name
from extractor.errors import SnapshotCorrupt

_NAME = re.compile(r"\d{1,9}\.[0-9a-f]{64}\Z")
_MAX_BYTES = 1 << 30


class ResultStore:
    """The results of one tenant's jobs: below ``prefix`` in a folder or an object store. Blocking."""

    def __init__(self, place: Path | ObjectStore, prefix: str) -> None:
        self._place = place / prefix if isinstance(place, Path) else place
        self._prefix = prefix

    def put(self, job_id: str, position: int, page: bytes) -> str:
        """Keep a page's JSON; the name under which it is. It is on the disk when this returns.

        Raises:
            StorageFull: there is no room for it.
        """
        data = zstandard.ZstdCompressor(level=3).compress(page)
        name = f"{position}.{hashlib.sha256(data).hexdigest()}"
        with full_by_name():
            if isinstance(self._place, Path):
                (self._place / job_id).mkdir(mode=0o700, parents=True, exist_ok=True)
                folder.write_new(self._place, f"{job_id}/{name}", data)
            else:
                with suppress(AlreadyExistsError):
                    self._place.put(f"{self._prefix}/{job_id}/{name}", data, mode="create")
        return name

    def get(self, job_id: str, name: str) -> bytes:
        """The page's JSON again.

        Raises:
            SnapshotCorrupt: it is gone, or is not what was kept.
        """
        data = self._load(f"{job_id}/{name}") if _NAME.match(name) else None
        if data is None or hashlib.sha256(data).hexdigest() != name.partition(".")[2]:
            raise SnapshotCorrupt("A stored result is gone or damaged.", detail=f"{job_id}/{name}")
        return zstandard.ZstdDecompressor().decompress(data, max_output_size=_MAX_BYTES)

    def remove(self, job_id: str) -> None:
        """Take all results of a job away."""
        if isinstance(self._place, Path):
            shutil.rmtree(self._place / job_id, ignore_errors=True)
            return
        for batch in self._place.list(f"{self._prefix}/{job_id}"):
            for item in batch:
                with suppress(NotFoundError, FileNotFoundError):
                    self._place.delete(str(item["path"]))

    def _load(self, path: str) -> bytes | None:
        try:
            if isinstance(self._place, Path):
                return folder.read_plain(self._place, path)
            return bytes(self._place.get(f"{self._prefix}/{path}").bytes())
        except (FileNotFoundError, NotFoundError):
            return None


def results_of(settings: ApiSettings, tenant: str) -> ResultStore:
    """Where the results of a tenant's jobs are kept: no name in it can reach another's."""
    below = f"jobs/tenants/{tenant}" if tenant else "jobs/own"
    if settings.archive_url is None:
        return ResultStore(settings.data_dir, below)
    return ResultStore(store_at(settings.archive_url), below)
