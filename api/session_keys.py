"""Idempotency keys of requests that are still running."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from compactor.errors import Conflict, InvalidRequest
from compactor.log import Keyed


class KeysInFlight:
    """Which keys are in use right now in this process; the store guards against other processes."""

    def __init__(self) -> None:
        self._held: dict[tuple[str, str, str], str] = {}

    @contextmanager
    def hold(self, tenant: str, session_id: str, keyed: Keyed | None) -> Iterator[None]:
        """Keep the key for the length of a request; a request without one passes.

        Raises:
            Conflict: the same request is still running.
            InvalidRequest: another request with this key is.
        """
        if keyed is None:
            yield
            return
        name = (tenant, session_id, keyed.key)
        running = self._held.get(name)
        if running is not None and running != keyed.fingerprint:
            raise InvalidRequest(
                "This Idempotency-Key is in use for another request; use a new one.",
                field="Idempotency-Key",
            )
        if running is not None:
            raise Conflict("A request with this Idempotency-Key is still running; repeat it later.")
        self._held[name] = keyed.fingerprint
        try:
            yield
        finally:
            del self._held[name]
