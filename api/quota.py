"""How much a tenant may ask for: requests a minute, and requests at a time.

Each process counts for itself.
"""

from __future__ import annotations

import math
import time
from collections import Counter
from dataclasses import dataclass

from limits import RateLimitItemPerMinute
from limits.aio.storage import MemoryStorage
from limits.aio.strategies import SlidingWindowCounterRateLimiter

from api.keys import ApiKey

_WINDOW_S = 60


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a tenant stands after a request was counted.

    ``refusal`` says what was used up, or is empty; ``headers`` are the ``RateLimit`` fields of the answer.
    """

    headers: dict[str, str]
    refusal: str = ""
    retry_after_s: float = 1


class _PerMinute(RateLimitItemPerMinute):
    def key_for(self, *identifiers: bytes | str | int | float) -> str:
        """One counter for a tenant, also when its keys have different limits."""
        return "/".join(map(str, identifiers))


class Quota:
    """Counts by tenant; the limits are those of the key that is shown."""

    def __init__(self, requests_per_minute: int, concurrency: int) -> None:
        self._requests_per_minute, self._concurrency = requests_per_minute, concurrency
        self._windows = SlidingWindowCounterRateLimiter(MemoryStorage())
        self._running: Counter[str] = Counter()

    async def enter(self, key: ApiKey) -> Standing:
        """Count a request in; unless it is refused, ``leave`` must follow."""
        most = key.requests_per_minute or self._requests_per_minute
        item = _PerMinute(most)
        passes = await self._windows.hit(item, key.tenant)
        stats = await self._windows.get_window_stats(item, key.tenant)
        reset_s = max(1, math.ceil(stats.reset_time - time.time()))
        headers = {
            "RateLimit-Policy": f'"requests";q={most};w={_WINDOW_S}',
            "RateLimit": f'"requests";r={stats.remaining};t={reset_s}',
        }
        if not passes:
            return Standing(headers, f"It may send {most} requests a minute.", reset_s)
        at_a_time = key.concurrency or self._concurrency
        if self._running[key.tenant] >= at_a_time:
            return Standing(headers, f"It may have {at_a_time} requests running at a time.")
        self._running[key.tenant] += 1
        return Standing(headers)

    def leave(self, key: ApiKey) -> None:
        """Count a request out that was let in."""
        self._running[key.tenant] -= 1
        if not self._running[key.tenant]:
            del self._running[key.tenant]
