"""When to stop trying: a step that fails, or gains nothing, is not tried for ever."""

from __future__ import annotations

from dataclasses import dataclass, replace

NO_PROGRESS = "no progress possible"
OPEN = "circuit open"


@dataclass(frozen=True, slots=True)
class Circuit:
    """``failures`` in a row so far; ``stuck_at`` is the version at which nothing was to be gained.

    After ``tries`` failures it stays open until its owner closes it. What gains nothing is not tried
    again before the session has moved on.
    """

    tries: int = 3
    failures: int = 0
    stuck_at: int = -1

    def allows(self, version: int) -> bool:
        """Whether a try at this version makes sense."""
        return self.failures < self.tries and version != self.stuck_at

    def status(self) -> str:
        """Why no try is made, where none is allowed."""
        return OPEN if self.failures >= self.tries else NO_PROGRESS

    def failed(self) -> Circuit:
        """After a try that failed: another may work."""
        return replace(self, failures=self.failures + 1)

    def stuck(self, version: int) -> Circuit:
        """After a try that could gain nothing: the same again would not either."""
        return replace(self, stuck_at=version)

    def closed(self) -> Circuit:
        """After a success."""
        return Circuit(self.tries)
