"""How late the event loop is: what blocks it delays every request at once."""

from __future__ import annotations

import asyncio
import time
from collections import deque

_INTERVAL_S = 0.05
_WINDOW_S = 30.0


class LoopLag:
    """Wakes up regularly and measures how much later than asked for it was woken."""

    def __init__(self) -> None:
        self._seen: deque[tuple[float, float]] = deque()

    @property
    def worst_s(self) -> float:
        """The longest delay of the last 30 seconds, so that no scrape misses a short stall."""
        return max((lag for _, lag in self._seen), default=0.0)

    async def watch(self) -> None:
        """Measure until cancelled."""
        while True:
            due = time.monotonic() + _INTERVAL_S
            await asyncio.sleep(_INTERVAL_S)
            self._note(time.monotonic(), max(0.0, time.monotonic() - due))

    def _note(self, now: float, lag: float) -> None:
        # What a later, longer delay outdoes can never be the worst again.
        while self._seen and self._seen[-1][1] <= lag:
            self._seen.pop()
        self._seen.append((now, lag))
        while self._seen[0][0] < now - _WINDOW_S:
            self._seen.popleft()
