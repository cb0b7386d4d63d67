"""When a refused request is sent again: only where the service has done nothing and says so."""

from __future__ import annotations

from dataclasses import dataclass

from api.client.errors import Busy, ProblemError

#: Where the service names no time.
_DEFAULT_WAIT_S = 1.0


@dataclass(frozen=True, slots=True)
class Retries:
    """``tries`` requests at most, the first included; a wait over ``most_wait_s`` is not waited for."""

    tries: int = 4
    most_wait_s: float = 30.0

    def wait_s(self, error: ProblemError, tried: int) -> float | None:
        """Seconds to wait after ``tried`` requests before the next one; ``None``: give up."""
        if not isinstance(error, Busy) or not error.retryable or tried >= self.tries:
            return None
        wait = _DEFAULT_WAIT_S if error.retry_after_s is None else error.retry_after_s
        return wait if wait <= self.most_wait_s else None
