"""What a session knows, and why: evidence, hypotheses, decisions, and the edges between them."""

from compactor.trace.asked import (
    Assumption,
    ChildResult,
    Contract,
    NewAction,
    NewDecision,
    NewEvidence,
    NewHypothesis,
    Span,
)
from compactor.trace.graph import Trace
from compactor.trace.items import Change, Edge, Item
from compactor.trace.measures import Measurement, Predicate
from compactor.trace.recall import Recall, Recalled
from compactor.trace.rule import TraceRule

__all__ = [
    "Assumption",
    "Change",
    "ChildResult",
    "Contract",
    "Edge",
    "Item",
    "Measurement",
    "NewAction",
    "NewDecision",
    "NewEvidence",
    "NewHypothesis",
    "Predicate",
    "Recall",
    "Recalled",
    "Span",
    "Trace",
    "TraceRule",
]
