"""The hit rate of a provider's cache, from the usage that it reported; a low one is explained."""

from __future__ import annotations

from dataclasses import dataclass, replace

from compactor.charge import Miss
from compactor.messages import Json

_CAUSES: dict[Miss, str] = {
    "": "the request before was not sent as it was given out, or went to another endpoint",
    "first": "most requests are the first of their session",
    "idle": "the cache expires between requests",
    "model": "the model changes between requests",
    "changed": "the prefix changes between requests",
    "short": "the prefix is shorter than the provider caches",
}


@dataclass(frozen=True, slots=True)
class Cached:
    """Tokens of one request that were read from the cache, and that were taken into it."""

    read: int
    created: int


def cached_of(usage: Json) -> Cached | None:
    """What a provider's report says of its cache; ``None`` where it says nothing.

    Anthropic reports both numbers. OpenAI reports what was read: the rest of the input counts as created.
    """
    if not isinstance(usage, dict):
        return None
    if "cache_read_input_tokens" in usage or "cache_creation_input_tokens" in usage:
        read, created = (
            _count(usage.get(f"cache_{name}_input_tokens")) for name in ("read", "creation")
        )
        return Cached(read, created)
    for total, details in (
        ("prompt_tokens", "prompt_tokens_details"),
        ("input_tokens", "input_tokens_details"),
    ):
        found = usage.get(details)
        if isinstance(found, dict) and "cached_tokens" in found:
            read = _count(found["cached_tokens"])
            return Cached(read, max(0, _count(usage.get(total)) - read))
    return None


def _count(value: Json) -> int:
    return value if isinstance(value, int) and value > 0 else 0


@dataclass(frozen=True, slots=True)
class HitRate:
    """Sums over a session's reports: ``read / (read + created)`` is the rate.

    ``causes`` counts what the session itself knows of each request that was reported.
    """

    reports: int = 0
    read: int = 0
    created: int = 0
    causes: tuple[tuple[Miss, int], ...] = ()

    def noted(self, usage: Json, miss: Miss) -> HitRate:
        """With one more report; ``miss`` is the cause that the modelled charge of its request names."""
        found = cached_of(usage)
        if found is None:
            return self
        counted = dict(self.causes)
        counted[miss] = counted.get(miss, 0) + found.created
        return replace(
            self,
            reports=self.reports + 1,
            read=self.read + found.read,
            created=self.created + found.created,
            causes=tuple(sorted(counted.items())),
        )

    @property
    def rate(self) -> float | None:
        """Share of cacheable tokens that were read; ``None`` before a report names any."""
        total = self.read + self.created
        return self.read / total if total else None

    def warning(self, least: float, *, least_reports: int = 3) -> str:
        """Why the rate is under ``least``; empty while it is not, or after too few reports.

        The cause is that of the requests that wrote most.
        """
        if self.rate is None or self.rate >= least or self.reports < least_reports:
            return ""
        cause = max(self.causes, key=lambda item: item[1])[0]
        return f"cache hit rate {self.rate:.0%}, under {least:.0%}: {_CAUSES[cause]}"
