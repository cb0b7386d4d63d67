"""What requests cost: each provider's prices as shares of one plain input token, and its cache's rules.

A cost is in the price of one plain input token (or of one character, where sizes are in characters);
``money`` turns it into currency.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from compactor.errors import InvalidRequest


@dataclass(frozen=True, slots=True)
class Prices:
    """Prices of one model at one provider, and what its prompt cache does.

    Attributes:
        name: the preset, or a name of the owner's.
        per_million: currency for a million plain input tokens.
        plain: an input token that is not cached.
        read: an input token that is read from the cache.
        write: an input token that the cache takes in.
        decode: an output token.
        decode_context: what each token of the context adds to each output token, where that is charged.
        summary: an input token of the summariser; ``summary_decode`` one that it writes.
        lookup_chars: what an expected look-up of an original brings into the context.
        lookup_rate: look-ups to expect in a request for each 10,000 characters that a compaction has
            taken out of view.
        expiry_s: how long an entry of the cache lives after its last hit.
        minimum_tokens: shorter prefixes are not cached.
        granularity_tokens: a cached prefix is a multiple of this.
        breakpoints: cache markers that a request may carry; 0 where the provider caches by itself.
    """

    name: str = "anthropic"
    per_million: float = 3.0
    plain: float = 1.0
    read: float = 0.1
    write: float = 1.25
    decode: float = 5.0
    decode_context: float = 0.0
    summary: float = 1.0
    summary_decode: float = 5.0
    lookup_chars: int = 2_000
    lookup_rate: float = 0.02
    expiry_s: float = 300.0
    minimum_tokens: int = 1_024
    granularity_tokens: int = 1
    breakpoints: int = 4

    def __post_init__(self) -> None:
        numbers = (
            *("per_million", "plain", "read", "write", "decode", "decode_context", "summary"),
            *("summary_decode", "lookup_chars", "lookup_rate", "minimum_tokens", "breakpoints"),
        )
        for field in numbers:
            if getattr(self, field) < 0:
                raise InvalidRequest(f"{field} must be at least 0.", field=f"prices.{field}")
        if self.expiry_s <= 0 or self.granularity_tokens < 1:
            raise InvalidRequest(
                "expiry_s must be over 0 and granularity_tokens at least 1.", field="prices"
            )

    def cached_tokens(self, tokens: float) -> float:
        """How much of an unchanged start of this length comes from the cache."""
        if tokens < self.minimum_tokens:
            return 0.0
        step = self.granularity_tokens
        return tokens if step == 1 else tokens - tokens % step

    def decoded(self, output: float, context: float) -> float:
        """Cost of ``output`` tokens behind a context of ``context`` tokens."""
        return output * (self.decode + self.decode_context * context)

    def look_ups(self, out_of_view: float, requests: int) -> float:
        """Look-ups to expect in some requests, of what a compaction took out of view (characters)."""
        return self.lookup_rate * requests * max(0.0, out_of_view) / 10_000

    def looked_up(self, context: float, brought: float) -> float:
        """Cost of one look-up: one more request for the context, and what it brings into it."""
        return self.read * context + self.write * brought

    def money(self, cost_tokens: float) -> float:
        """A cost in plain input tokens as currency."""
        return cost_tokens * self.per_million / 1_000_000


#: Writes are free there, and the cache works by itself, from 1,024 tokens in steps of 128.
_OPENAI = Prices(
    "openai", 2.5, read=0.5, write=1.0, decode=4.0, granularity_tokens=128, breakpoints=0
)
#: Reads are 50 % off for the oldest of OpenAI's models that cache, 90 % for the newest; writes are free.
#: A cache lives 5 to 10 minutes there: the shorter time counts.
PRICES: Mapping[str, Prices] = MappingProxyType(
    {
        "anthropic": Prices(),
        "openai": _OPENAI,
        "openai-gpt-4.1": replace(_OPENAI, name="openai-gpt-4.1", per_million=2.0, read=0.25),
        "openai-gpt-5": replace(
            _OPENAI, name="openai-gpt-5", per_million=1.25, read=0.1, decode=8.0
        ),
        # Every request as if nothing were ever cached.
        "uncached": Prices("uncached", read=1.0, write=1.0, breakpoints=0),
    }
)


def prices_named(name: str) -> Prices:
    """A preset by its name.

    Raises:
        InvalidRequest: there is none of that name.
    """
    if name not in PRICES:
        raise InvalidRequest(f"prices must be one of {', '.join(PRICES)}.", field="prices")
    return PRICES[name]


def prefix_cost(prices: Prices, prefix_tokens: int, requests: int, hit_share: float) -> float:
    """Currency for a prefix that goes with each of some requests, of which a share hits the cache."""
    each = hit_share * prices.read + (1 - hit_share) * prices.write
    return prices.money(prefix_tokens * requests * each)
