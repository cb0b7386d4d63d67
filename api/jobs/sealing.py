"""Requests and secrets of waiting jobs in the database: sealed, since they may hold credentials."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import secrets
from pathlib import Path
from typing import Any

from cryptography.fernet import Fernet, InvalidToken

from api.jobs.settings import JobSettings
from extractor.errors import SnapshotCorrupt

_FILE = "jobs.key"


class Seal:
    """Closes and opens JSON values with one key (Fernet: AES-128-CBC with HMAC-SHA256)."""

    def __init__(self, key: bytes) -> None:
        """``key`` may have any length; 32 random bytes are as good as it gets."""
        derived = hashlib.sha256(b"pagefold jobs" + key).digest()
        self._fernet = Fernet(base64.urlsafe_b64encode(derived))
        #: Tells keys apart, and says nothing of this one.
        self.name = hashlib.sha256(derived).hexdigest()[:16]

    def close(self, value: Any) -> str:
        """The value as ASCII text that says nothing but its length."""
        data = json.dumps(value, separators=(",", ":")).encode("ascii")
        return self._fernet.encrypt(data).decode("ascii")

    def open(self, sealed: str) -> Any:
        """The value again.

        Raises:
            SnapshotCorrupt: it was damaged, or sealed with another key.
        """
        try:
            return json.loads(self._fernet.decrypt(sealed.encode("ascii")))
        except InvalidToken as error:
            raise SnapshotCorrupt(
                "What was stored of this request cannot be opened; send it again."
            ) from error


def seal_of(settings: JobSettings) -> Seal:
    """The operator's key, or the one in the data folder, which is made where it is missing.

    Raises:
        OSError: the folder cannot be written.
    """
    if settings.jobs_key is not None:
        return Seal(settings.jobs_key.get_secret_value().encode("utf-8"))
    return Seal(_made(settings.data_dir / _FILE))


def _made(path: Path) -> bytes:
    if not path.exists():
        part = path.with_name(f"{path.name}.{secrets.token_hex(8)}.part")
        try:
            handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            with os.fdopen(handle, "wb") as file:
                file.write(secrets.token_bytes(32))
                file.flush()
                os.fsync(file.fileno())
            # A link never replaces a file that another process made in the meantime.
            os.link(part, path)
        except FileExistsError:
            pass
        finally:
            part.unlink(missing_ok=True)
    return path.read_bytes()
