"""What the browser pool says about itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PoolState:
    """A moment of the pool. Being busy is no illness.

    Attributes:
        draining: it takes no more requests.
        failure: why no browser could be started at the last try, as ``code: message``; empty while one
            serves or none has been needed.
        capacity, busy, waiting: slots, those that are taken, and requests in the queue.
        browsers: that one serves, with those that still finish.
        launches: browsers started so far.
        replaced: how many were replaced, by reason: ``crashed``, ``hung``, ``stuck``, ``pages``, ``memory``.
        memory_bytes: of the browser that serves, when last looked at under work.
        browser_pid, driver_pid: of the browser that serves; 0 when there is none.
    """

    draining: bool
    failure: str
    capacity: int
    busy: int
    waiting: int
    browsers: int
    launches: int
    replaced: Mapping[str, int]
    memory_bytes: int
    browser_pid: int
    driver_pid: int

    @property
    def healthy(self) -> bool:
        """Whether the next request can expect a browser."""
        return not self.draining and not self.failure
