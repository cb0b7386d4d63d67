"""Request bodies of the routes under which a session writes down what it knows."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from compactor.trace import (
    Assumption,
    Contract,
    Predicate,
)
from compactor.trace.candidates import RecallKind

Text = Annotated[str, Field(min_length=1, max_length=100_000)]
Id = Annotated[str, Field(pattern=r"^[gcxoehdsk]\d{1,12}(\.[ai]\d{1,6})?$")]
Ids = Annotated[list[Id], Field(max_length=1_000)]
Name = Annotated[str, Field(max_length=400)]


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class PredicateIn(Strict):
    """``measure`` of ``subject``, compared with a value: code evaluates it."""

    subject: Name
    measure: Name
    comparator: Literal["<", "<=", ">", ">=", "==", "!="]
    value: Annotated[float, Field(allow_inf_nan=False)]
    unit: Annotated[str, Field(max_length=40)] = ""

    def made(self) -> Predicate:
        """As the compactor takes it."""
        return Predicate(**self.model_dump())


class MeasurementIn(Strict):
    """A value that was measured."""

    subject: Name
    measure: Name
    value: Annotated[float, Field(allow_inf_nan=False)]
    unit: Annotated[str, Field(max_length=40)] = ""


class AssumptionIn(Strict):
    """What is taken for granted; ``holds`` is what code can check of it."""

    text: Text
    holds: PredicateIn | None = None

    def made(self) -> Assumption:
        """As the compactor takes it."""
        return Assumption(self.text, self.holds.made() if self.holds else None)


class SpanIn(Strict):
    """Characters of an artifact; ``end`` -1: to its end."""

    artifact: Id
    start: Annotated[int, Field(ge=0)] = 0
    end: Annotated[int, Field(ge=-1)] = -1


class ContractIn(Strict):
    """What a sub-session is asked, and what it may use."""

    goal: Text
    constraints: Annotated[list[Text], Field(max_length=100)] = []
    exclusions: Annotated[list[Text], Field(max_length=100)] = []
    result_format: Annotated[str, Field(max_length=4_000)] = ""
    budget_chars: Annotated[int | None, Field(ge=1_000)] = None
    tools: Annotated[list[Name], Field(max_length=1_000)] | None = None
    result_tokens: Annotated[int, Field(ge=1, le=100_000)] = 500

    def made(self) -> Contract:
        """As the compactor takes it."""
        tools = None if self.tools is None else tuple(self.tools)
        return Contract(
            self.goal,
            tuple(self.constraints),
            tuple(self.exclusions),
            self.result_format,
            self.budget_chars,
            tools,
            self.result_tokens,
        )


class RecallIn(Strict):
    """A question, and how many characters the answer may have."""

    query: Annotated[str, Field(max_length=20_000)]
    budget_chars: Annotated[int, Field(ge=1, le=1_000_000)] = 4_000
    kind: RecallKind | None = None
