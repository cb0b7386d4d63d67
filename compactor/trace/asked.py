"""What is asked to be written down."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from compactor.messages import Json, JsonObject
from compactor.trace.items import Status
from compactor.trace.measures import Measurement, Predicate

Outcome = Literal["done", "failed", "unknown"]
#: What an action does beside its result. The last three are risky: they must not be done twice blindly.
SideEffect = Literal["none", "read", "write", "external", "irreversible"]
RISKY: frozenset[str] = frozenset(("write", "external", "irreversible"))


@dataclass(frozen=True, slots=True)
class Span:
    """Characters ``start`` to ``end`` (not included) of an artifact; ``end`` -1: to its end."""

    artifact: str
    start: int = 0
    end: int = -1

    def as_json(self) -> JsonObject:
        """Plain JSON."""
        return {"artifact": self.artifact, "start": self.start, "end": self.end}


@dataclass(frozen=True, slots=True)
class NewEvidence:
    """A fact, the spans it rests on, the time it is true of, and what it speaks for or against.

    ``time_range`` are two points in time as the source writes them; ``contradicts`` may name assumptions
    (``h3.a1``) as well as items.
    """

    text: str
    rests_on: tuple[Span, ...] = ()
    time_range: tuple[str, str] | None = None
    source_version: str = ""
    measurement: Measurement | None = None
    supports: tuple[str, ...] = ()
    contradicts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Assumption:
    """What a hypothesis, or its rejection, takes for granted; ``holds`` is what code can check of it."""

    text: str
    holds: Predicate | None = None

    def as_json(self) -> JsonObject:
        """Plain JSON."""
        return {"text": self.text, "holds": self.holds.as_json() if self.holds else None}


@dataclass(frozen=True, slots=True)
class NewHypothesis:
    """A claim. ``invalidation`` are conditions under which it must be looked at again.

    A predicate is evaluated by code; prose only makes the claim a candidate of ``recall``.
    """

    claim: str
    status: Status = "proposed"
    supports: tuple[str, ...] = ()
    assumptions: tuple[Assumption, ...] = ()
    invalidation: tuple[Predicate | str, ...] = ()


@dataclass(frozen=True, slots=True)
class NewDecision:
    """What was chosen, and the hypotheses, evidence and assumptions that it depends on."""

    text: str
    depends_on: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NewAction:
    """A call of a tool that is about to be made. ``key`` names it: the same key is the same action."""

    tool: str
    arguments: Json = None
    side_effect: SideEffect = "write"
    key: str = ""


@dataclass(frozen=True, slots=True)
class Contract:
    """What a sub-session is asked, and what it may use: nothing that its parent may not.

    ``budget_chars`` and ``tools`` are its parent's where they are ``None``.
    """

    goal: str
    constraints: tuple[str, ...] = ()
    exclusions: tuple[str, ...] = ()
    result_format: str = ""
    budget_chars: int | None = None
    tools: tuple[str, ...] | None = None
    result_tokens: int = 500


@dataclass(frozen=True, slots=True)
class ChildResult:
    """What a sub-session came to: a short text, the evidence it rests on, and what is left open."""

    text: str
    evidence: tuple[str, ...] = ()
    open_questions: tuple[str, ...] = field(default_factory=tuple)
