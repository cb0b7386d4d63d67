"""How a run is going: rows by outcome, pages a second, and how long it will take."""

from __future__ import annotations

import threading
from collections import Counter, deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass

#: Seconds that the rate looks back over.
WINDOW_S = 30.0


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a run stands.

    Attributes:
        rows: that are there, those of earlier processes included.
        failures: of these, the ones without a page, by code; most frequent first.
        pages_per_s: rows a second, over the last half minute.
        total: rows that there will be; ``None`` while that is not known.
        eta_s: seconds until then at this rate; ``None`` where that cannot be said.
    """

    rows: int
    failures: Mapping[str, int]
    pages_per_s: float
    total: int | None
    eta_s: float | None


class Tally:
    """Counts rows as they come; may be told of them in any thread.

    Args:
        before: rows of earlier processes, by outcome.
        clock: seconds that only grow.
    """

    def __init__(self, before: Mapping[str, int], clock: Callable[[], float]) -> None:
        self._outcomes = Counter(before)
        self._clock = clock
        self._lock = threading.Lock()
        self._marks: deque[tuple[float, int]] = deque([(clock(), self._outcomes.total())])
        self.total: int | None = None

    def add(self, outcome: str) -> None:
        """One more row, with a page (``ok``) or the code of why not."""
        with self._lock:
            self._outcomes[outcome] += 1

    def standing(self) -> Standing:
        """Where the run stands now."""
        with self._lock:
            outcomes = Counter(self._outcomes)
        rows, now = outcomes.total(), self._clock()
        rate = self._rate(now, rows)
        failures = {code: count for code, count in outcomes.most_common() if code != "ok"}
        eta_s = None
        if self.total is not None and (rate or rows >= self.total):
            eta_s = max(0, self.total - rows) / rate if rate else 0.0
        return Standing(rows, failures, rate, self.total, eta_s)

    def _rate(self, now: float, rows: int) -> float:
        if now - self._marks[-1][0] >= 1:
            self._marks.append((now, rows))
        while len(self._marks) > 2 and now - self._marks[1][0] >= WINDOW_S:
            self._marks.popleft()
        since, then = self._marks[0]
        return (rows - then) / (now - since) if now > since else 0.0
