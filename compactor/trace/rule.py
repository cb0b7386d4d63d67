"""How much of TRACE works by itself, and its limits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from compactor.errors import InvalidRequest

#: The share of a recall's candidates that each class may take.
_SHARES: Mapping[str, float] = MappingProxyType(
    {"error": 0.5, "decision": 0.6, "state": 0.6, "knowledge": 1.0}
)


@dataclass(frozen=True, slots=True)
class TraceRule:
    """Attributes:
    extract: whether evidence is proposed from each tool result that is appended.
    replace_stale: whether a batch puts the newest value in place of one that it replaced, with a ref.
    most_extracted: evidence that one message may bring.
    most_claims: sentences of summaries that one step may write down.
    anchor_chars: the most that goal, constraints and hypotheses may take in the working memory.
    reminder_chars: the most that the line of one of them takes there.
    text_chars: the longest text of one item.
    most_postings: entries of the text index that one recall reads.
    most_candidates: what one recall chooses from, beside what it must show.
    shares: the most of a recall that items of each class take, of what is left beside the mandatory.
    """

    extract: bool = False
    replace_stale: bool = False
    most_extracted: int = 12
    most_claims: int = 40
    anchor_chars: int = 1_200
    reminder_chars: int = 160
    text_chars: int = 4_000
    most_postings: int = 1_500
    most_candidates: int = 64
    shares: Mapping[str, float] = field(default_factory=lambda: _SHARES)

    def __post_init__(self) -> None:
        least = {
            "most_extracted": 1,
            "most_claims": 0,
            "anchor_chars": 0,
            "reminder_chars": 40,
            "text_chars": 100,
            "most_postings": 1,
            "most_candidates": 1,
        }
        for name, value in least.items():
            if getattr(self, name) < value:
                raise InvalidRequest(f"{name} must be at least {value}.", field=name)
