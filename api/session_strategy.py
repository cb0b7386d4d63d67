"""How a session's history is made shorter, as its request body says."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from compactor.strategy import StrategyName, StrategyRule

SummariserName = Literal["extractive", "openai"]
Tools = Annotated[tuple[Annotated[str, Field(max_length=200)], ...], Field(max_length=200)]


class StrategyIn(BaseModel):
    """A strategy by name, and what differs from its own defaults (docs/how-to/choose-a-strategy.md)."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"examples": [{"name": "rolling", "keep_turns": 15}]}
    )

    name: StrategyName
    trigger_share: Annotated[float | None, Field(gt=0, le=1)] = None
    trigger_tokens: Annotated[int | None, Field(ge=0)] = None
    keep_results: Annotated[int | None, Field(ge=0)] = None
    keep_messages: Annotated[int | None, Field(ge=1)] = None
    keep_turns: Annotated[int | None, Field(ge=1)] = None
    renew_turns: Annotated[int | None, Field(ge=1)] = None
    most_tokens: Annotated[int | None, Field(ge=1)] = None
    result_tokens: Annotated[int | None, Field(ge=1)] = None
    least_chars: Annotated[int | None, Field(ge=1)] = None
    facts_share: Annotated[float | None, Field(ge=0, le=0.5)] = None
    fold: bool | None = None
    exclude: Tools | None = None
    reference: Tools | None = None

    def as_rule(self) -> StrategyRule:
        """The strategy's defaults with what was given."""
        return StrategyRule.of(**self.model_dump(exclude_none=True))
