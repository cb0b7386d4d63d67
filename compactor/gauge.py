"""What providers report of a session's requests, and what that says about the estimate."""

from __future__ import annotations

from dataclasses import dataclass

from compactor.messages import Json

#: Fewer tokens than this between two reports say nothing about the rate.
_LEAST_SPAN = 2_000
#: A report is never believed to put the estimate off by more than these factors.
_LEAST_SCALE, _MOST_SCALE = 0.5, 2.0
_ANTHROPIC = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")


def reported_tokens(usage: Json) -> int | None:
    """The tokens of a request's input by its provider's own field names; ``None`` if it says none.

    Anthropic counts cached tokens beside ``input_tokens``, OpenAI within ``input_tokens`` (Responses) or
    ``prompt_tokens`` (Chat Completions).
    """
    if not isinstance(usage, dict):
        return None
    fields = ("prompt_tokens",) if "prompt_tokens" in usage else _ANTHROPIC
    counts = [usage.get(field) for field in fields]
    total = sum(count for count in counts if isinstance(count, int) and count > 0)
    return total or None


@dataclass(frozen=True, slots=True)
class Gauge:
    """Two requests of a session, as (estimated, reported) tokens: the first, and the newest."""

    first: tuple[float, int] | None = None
    last: tuple[float, int] | None = None

    def noted(self, estimated: float, reported: int) -> Gauge:
        """With one more report, for a context whose best estimate is given."""
        point = (estimated, reported)
        return Gauge(self.first or point, point)

    @property
    def known(self) -> bool:
        """Whether a provider has reported anything."""
        return self.last is not None

    @property
    def scale(self) -> float:
        """Tokens that the provider counts for each estimated one."""
        if self.first is None or self.last is None:
            return 1.0
        span = self.last[0] - self.first[0]
        if abs(span) >= _LEAST_SPAN:
            slope = (self.last[1] - self.first[1]) / span
        else:
            # One point: what is over the estimate may as well be a part that we were not shown.
            slope = min(1.0, self.last[1] / max(1.0, self.last[0]))
        return min(_MOST_SCALE, max(_LEAST_SCALE, slope))

    @property
    def unseen(self) -> float:
        """Tokens of each request that the session was not shown: a system prompt, tools, frames."""
        if self.last is None:
            return 0.0
        return max(0.0, self.last[1] - self.scale * self.last[0])
