"""How a session is priced and when its epochs end, as its request body says."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from compactor.prices import Prices, prices_named
from compactor.trigger import Triggers

Price = Annotated[float, Field(ge=0)]
Share = Annotated[float, Field(ge=0, le=1)]


class PricesIn(BaseModel):
    """A preset, and what differs from it. Prices are shares of one plain input token."""

    model_config = ConfigDict(extra="forbid")

    preset: Literal["anthropic", "openai", "openai-gpt-4.1", "openai-gpt-5", "uncached"] = (
        "anthropic"
    )
    per_million: Price | None = None
    read: Price | None = None
    write: Price | None = None
    decode: Price | None = None
    decode_context: Price | None = None
    summary: Price | None = None
    summary_decode: Price | None = None
    lookup_chars: Annotated[int | None, Field(ge=0)] = None
    lookup_rate: Price | None = None
    expiry_s: Annotated[float | None, Field(gt=0)] = None
    minimum_tokens: Annotated[int | None, Field(ge=0)] = None
    granularity_tokens: Annotated[int | None, Field(ge=1)] = None
    breakpoints: Annotated[int | None, Field(ge=0)] = None

    def as_prices(self) -> Prices:
        """The preset with what was given."""
        own = self.model_dump(exclude={"preset"}, exclude_none=True)
        return replace(prices_named(self.preset), **own)


class TriggersIn(BaseModel):
    """What ends an epoch before the budget is passed; shares are of the room for messages."""

    model_config = ConfigDict(extra="forbid")

    enabled: bool = True
    from_share: Share = 0.98
    output_chars: Annotated[int, Field(ge=0)] = 0
    reserve_most_share: Share = 0.02
    growth_turns: Annotated[int, Field(ge=1, le=1_000)] = 8
    growth_quantile: Share = 0.5
    break_even: bool = True
    break_even_factor: Annotated[float, Field(ge=1)] = 1.25
    stale_factor: Annotated[float, Field(gt=0)] = 1.0
    repeated_share: Share = 0.3
    repeated_from_share: Share = 0.5
    least_gain_share: Share = 0.05

    def as_triggers(self) -> Triggers:
        """The same for the library."""
        return Triggers(**self.model_dump())
