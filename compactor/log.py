"""What a session needs of durable storage: an append-only log, versions, idempotency keys."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from compactor.messages import JsonObject


@dataclass(frozen=True, slots=True)
class Entry:
    """One event. ``seq`` counts from 0 in its session; ``body`` is JSON."""

    seq: int
    kind: str
    body: JsonObject


@dataclass(frozen=True, slots=True)
class Keyed:
    """An idempotency key with a digest of the request that came with it."""

    key: str
    fingerprint: str


class SessionLog(Protocol):
    """Where sessions commit what they append."""

    def commit(
        self,
        session_id: str,
        expected_version: int,
        entries: Sequence[Entry],
        keyed: Keyed | None,
        reply: JsonObject,
    ) -> None:
        """Write all entries in one transaction, durable when it returns.

        Raises:
            VersionMismatch: the log is not at ``expected_version``; nothing was written.
        """
        ...
