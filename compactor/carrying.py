"""What a request has no place for: cache markers and a mask of tools, by format and by endpoint."""

from __future__ import annotations

from collections.abc import Sequence

from compactor.prices import Prices
from compactor.rules import MAX_CACHE_MARKERS

#: Formats whose requests take ``cache_control``, and those that take ``allowed_tools``.
_MARKED = frozenset({"anthropic"})
_MASKED = frozenset({"openai-chat", "openai-responses"})


def not_carried(format: str, prices: Prices, *, mask: Sequence[str] | None) -> tuple[str, ...]:
    """One sentence for each thing that is asked for and that nothing in the request can say."""
    said = []
    if format not in _MARKED:
        said.append(f"cache breakpoints: {format} requests take none")
    elif prices.breakpoints < MAX_CACHE_MARKERS:
        said.append(f"cache breakpoints: {prices.name} takes {prices.breakpoints}, others left out")
    if mask is not None and format not in _MASKED:
        said.append(f"allowed_tools: {format} requests have no such parameter; say tools_sentence")
    return tuple(said)


def tools_sentence(format: str, mask: Sequence[str] | None) -> str:
    """The sentence that stands for ``allowed_tools``; empty where a parameter says it."""
    if mask is None or format in _MASKED:
        return ""
    if not mask:
        return "Call no tool in this turn."
    return f"In this turn call only these tools: {', '.join(mask)}."
