"""What a session needs of durable storage: an append-only log, versions, idempotency keys."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from compactor.messages import JsonObject

#: What writes more in a transaction; what it is given is the log's own.
Beside = Callable[[Any], None]


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


@dataclass(frozen=True, slots=True)
class Along:
    """What is committed together with a step: the key that it was asked with, its answer, other rows."""

    keyed: Keyed | None = None
    reply: JsonObject = field(default_factory=dict)
    beside: Beside | None = None


class SessionLog(Protocol):
    """Where sessions commit what they append."""

    def commit(
        self,
        session_id: str,
        expected_version: int,
        entries: Sequence[Entry],
        keyed: Keyed | None,
        reply: JsonObject,
        *,
        beside: Beside | None = None,
    ) -> None:
        """Write all entries in one transaction, durable when it returns; ``beside`` writes more in it.

        Raises:
            VersionMismatch: the log is not at ``expected_version``; nothing was written.
        """
        ...
