"""When to leave an endpoint alone: after failures in a row, for a while."""

from __future__ import annotations

import threading
from collections.abc import Callable


class Breaker:
    """Opens after ``failures`` in a row, for ``open_s`` seconds; then one request may try. Thread-safe."""

    def __init__(self, failures: int, open_s: float, clock: Callable[[], float]) -> None:
        self._most, self._open_s, self._clock = failures, open_s, clock
        self._lock = threading.Lock()
        self._failed = 0
        self._until = 0.0

    def allows(self) -> bool:
        """Whether a request may be made now. Where the time is over, only the first that asks may."""
        with self._lock:
            if self._failed < self._most:
                return True
            now = self._clock()
            if now < self._until:
                return False
            self._until = now + self._open_s
            return True

    def worked(self) -> None:
        """After a request that brought what was asked for."""
        with self._lock:
            self._failed = 0

    def failed(self) -> None:
        """After one that did not."""
        with self._lock:
            self._failed += 1
            self._until = self._clock() + self._open_s
