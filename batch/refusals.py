"""Why an address gives no page although it was reached, or was not asked for; and when to ask again."""

from __future__ import annotations

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import ClassVar

from tenacity import RetryCallState

from batch.plan import Pace
from extractor.errors import ExtractorError, Phase

#: Answers after which the same request may succeed (RFC 9110, RFC 6585, RFC 8470).
_TRY_AGAIN = frozenset({408, 425, 429, 500, 502, 503, 504})


class HttpStatus(ExtractorError):
    """The server answered, and not with a page. ``code_now`` is ``http_`` and the status."""

    code = "http_status"
    default_phase: ClassVar[Phase] = "navigate"

    def __init__(self, status: int, retry_after: str = "") -> None:
        super().__init__(f"The server answered {status}.")
        self.status = status
        self.retry_after = retry_after
        self.code_now = f"http_{status}"
        # Whether it may be worth another try depends on the answer, not on the kind of error.
        self.retryable = status in _TRY_AGAIN  # type: ignore[misc]

    @property
    def rest_s(self) -> float:
        """Seconds for which the server does not want to be asked (RFC 9110, 10.2.3; RFC 6585, 4)."""
        return retry_after_s(self.retry_after) if self.status in (429, 503) else 0.0


class RobotsDisallowed(ExtractorError):
    code = "robots_disallowed"
    default_phase: ClassVar[Phase] = "request"


class RobotsUnreachable(ExtractorError):
    """RFC 9309, 2.3.1.4: where the file cannot be had, everything counts as forbidden."""

    code = "robots_unreachable"
    retryable = True
    default_phase: ClassVar[Phase] = "connect"

    def __init__(self, cause: str | None) -> None:
        why = f" ({cause})" if cause else ""
        super().__init__(f"robots.txt could not be had{why}, which forbids everything.")


class Moved(Exception):
    """A redirect: each address on the way is judged and waited for like the first one."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self.url = url


def pause_s(state: RetryCallState, pace: Pace) -> float:
    """Seconds until the next try: twice as long each time, or as long as the server asks for."""
    error = state.outcome.exception() if state.outcome is not None else None
    own = pace.backoff_s * 2.0 ** (state.attempt_number - 1)
    asked = error.rest_s if isinstance(error, HttpStatus) else 0.0
    return min(max(own, asked), pace.max_backoff_s)


def retry_after_s(value: str, now: datetime | None = None) -> float:
    """Seconds that a ``Retry-After`` header names (RFC 9110, 10.2.3); 0 for one that cannot be read."""
    text = value.strip()
    if text.isascii() and text.isdigit():
        return float(text)
    try:
        until = parsedate_to_datetime(text)
    except ValueError:
        return 0.0
    if until.tzinfo is None:
        until = until.replace(tzinfo=UTC)
    return max(0.0, (until - (now or datetime.now(UTC))).total_seconds())
