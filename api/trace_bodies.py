"""Request bodies that write an item, each by one method of the session."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from api.trace_models import (
    AssumptionIn,
    Id,
    Ids,
    MeasurementIn,
    Name,
    PredicateIn,
    SpanIn,
    Text,
)
from compactor.session import Session
from compactor.trace import (
    ChildResult,
    Item,
    Measurement,
    NewAction,
    NewDecision,
    NewEvidence,
    NewHypothesis,
    Span,
)
from compactor.trace.items import EdgeName, Status


class Body(BaseModel):
    """What is written, by one method of the session; ``id`` is the item in the path, if there is one."""

    model_config = ConfigDict(extra="forbid")

    def write(self, session: Session, id: str) -> Item:
        """Write it. Raises what the session raises."""
        raise NotImplementedError


class GoalIn(Body):
    """The goal; the one before is kept and no more shown."""

    text: Text

    def write(self, session: Session, id: str) -> Item:
        return session.set_goal(self.text)


class ConstraintIn(Body):
    """What may not be broken."""

    text: Text
    source: Literal["user", "system"] = "user"

    def write(self, session: Session, id: str) -> Item:
        return session.add_constraint(self.text, self.source)


class LiftIn(Body):
    """Why a constraint holds no more."""

    reason: Text

    def write(self, session: Session, id: str) -> Item:
        return session.lift_constraint(id, self.reason)


class ActionIn(Body):
    """A call of a tool that is about to be made."""

    tool: Annotated[str, Field(min_length=1, max_length=400)]
    arguments: Any = None
    side_effect: Literal["none", "read", "write", "external", "irreversible"] = "write"
    key: Annotated[str, Field(max_length=255)] = ""

    def write(self, session: Session, id: str) -> Item:
        return session.begin_action(NewAction(**self.model_dump()))


class OutcomeIn(Body):
    """What came of an action; with ``evidence``, what it was found to have done."""

    outcome: Literal["done", "failed", "unknown"]
    why: Annotated[str, Field(max_length=4_000)] = ""
    evidence: Ids = []

    def write(self, session: Session, id: str) -> Item:
        if self.evidence:
            return session.check_action(id, self.outcome, self.evidence)
        return session.end_action(id, self.outcome, self.why)


class ArtifactIn(Body):
    """An original to keep, as text."""

    text: Annotated[str, Field(max_length=10_000_000)]
    media_type: Annotated[str, Field(max_length=200)] = "text/plain"
    source: Name = ""
    version: Annotated[str, Field(max_length=200)] = ""

    def write(self, session: Session, id: str) -> Item:
        return session.store_artifact(
            self.text, media_type=self.media_type, source=self.source, version=self.version
        )


class EvidenceIn(Body):
    """A fact, what it stands in, and what it speaks for or against."""

    text: Text
    rests_on: Annotated[list[SpanIn], Field(max_length=100)] = []
    time_range: tuple[Name, Name] | None = None
    source_version: Annotated[str, Field(max_length=200)] = ""
    measurement: MeasurementIn | None = None
    supports: Ids = []
    contradicts: Ids = []

    def write(self, session: Session, id: str) -> Item:
        measured = self.measurement
        return session.note_evidence(
            NewEvidence(
                self.text,
                tuple(Span(each.artifact, each.start, each.end) for each in self.rests_on),
                self.time_range,
                self.source_version,
                Measurement(**measured.model_dump()) if measured else None,
                tuple(self.supports),
                tuple(self.contradicts),
            )
        )


class HypothesisIn(Body):
    """A claim, what it takes for granted, and what would make it be looked at again."""

    claim: Text
    status: Literal["proposed", "active"] = "proposed"
    supports: Ids = []
    assumptions: Annotated[list[AssumptionIn], Field(max_length=100)] = []
    invalidation: Annotated[list[PredicateIn | Text], Field(max_length=100)] = []

    def write(self, session: Session, id: str) -> Item:
        when = (each if isinstance(each, str) else each.made() for each in self.invalidation)
        assumed = tuple(each.made() for each in self.assumptions)
        return session.propose(
            NewHypothesis(self.claim, self.status, tuple(self.supports), assumed, tuple(when))
        )


class StatusIn(Body):
    """Another status of a hypothesis, with its reason."""

    status: Status
    reason: Text
    evidence: Ids = []
    assumptions: Annotated[list[AssumptionIn], Field(max_length=100)] = []

    def write(self, session: Session, id: str) -> Item:
        assumed = tuple(each.made() for each in self.assumptions)
        return session.set_status(
            id, self.status, reason=self.reason, evidence=self.evidence, assumptions=assumed
        )


class DecisionIn(Body):
    """A choice, and what it depends on."""

    text: Text
    depends_on: Ids = []
    assumptions: Annotated[list[Text], Field(max_length=100)] = []

    def write(self, session: Session, id: str) -> Item:
        return session.decide(
            NewDecision(self.text, tuple(self.depends_on), tuple(self.assumptions))
        )


class SentenceIn(Body):
    """A sentence of a summary, and the evidence that it depends on."""

    text: Text
    depends_on: Ids

    def write(self, session: Session, id: str) -> Item:
        return session.claim(self.text, self.depends_on)


class LinkIn(Body):
    """An edge between two items."""

    source: Id
    edge: EdgeName
    target: Id

    def write(self, session: Session, id: str) -> Item:
        return session.link(self.source, self.edge, self.target)


class RevalidationIn(Body):
    """That a marked item stands, and by what evidence."""

    reason: Text
    evidence: Ids

    def write(self, session: Session, id: str) -> Item:
        return session.revalidate(id, reason=self.reason, evidence=self.evidence)


class ResultIn(Body):
    """What a sub-session came to."""

    text: Text
    evidence: Annotated[list[Name], Field(max_length=1_000)] = []
    open_questions: Annotated[list[Text], Field(max_length=100)] = []

    def write(self, session: Session, id: str) -> Item:
        made = ChildResult(self.text, tuple(self.evidence), tuple(self.open_questions))
        return session.close_child(id, made)
