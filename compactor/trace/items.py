"""What a session knows, as items of one shape: the words, what they stand on, and how sure they are."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Literal, get_args

from compactor.messages import JsonObject

Kind = Literal[
    "goal",
    "constraint",
    "action",
    "artifact",
    "evidence",
    "hypothesis",
    "decision",
    "sentence",
    "child",
]
KINDS: tuple[Kind, ...] = get_args(Kind)
#: The first letter of each kind's ids.
LETTERS: dict[Kind, str] = dict(zip(KINDS, "gcxoehdsk", strict=True))
EdgeName = Literal["supports", "contradicts", "depends_on"]
EDGES: tuple[EdgeName, ...] = get_args(EdgeName)
Status = Literal[
    "proposed", "active", "provisionally_rejected", "rejected", "confirmed", "reopened"
]
STATUSES: tuple[Status, ...] = get_args(Status)
#: Hypotheses that are still looked into: what they rest on must be in view.
OPEN: frozenset[str] = frozenset(("active", "reopened"))
REJECTED: frozenset[str] = frozenset(("provisionally_rejected", "rejected"))


@dataclass(frozen=True, slots=True)
class Item:
    """One thing that is known.

    Attributes:
        text: the claim, fact, goal or rule, in the words of whoever wrote it.
        status: of a hypothesis one of ``STATUSES``; of an action ``pending``, ``done``, ``failed`` or
            ``unknown``; of evidence ``noted`` or, from the extractor, ``proposed``.
        version: counts from 1; every change of status, mark or body is another.
        turn, seq: the session's turn and the entry of its log that wrote it first.
        marked: why it needs revalidation, with the id of what asks for it; empty while it stands.
        body: what else belongs to its kind, as plain JSON.
    """

    id: str
    kind: Kind
    text: str
    status: str
    version: int = 1
    turn: int = 0
    seq: int = -1
    marked: str = ""
    body: JsonObject = field(default_factory=dict)

    @property
    def trace_ref(self) -> str:
        """Names all that led to this item, as it stands now: ``Session.trace_of`` reads it."""
        return f"t:{self.id}@{self.version}"

    def as_json(self) -> JsonObject:
        """Plain JSON."""
        return {
            "id": self.id,
            "kind": self.kind,
            "text": self.text,
            "status": self.status,
            "version": self.version,
            "turn": self.turn,
            "seq": self.seq,
            "marked": self.marked,
            "trace_ref": self.trace_ref,
            **self.body,
        }


@dataclass(frozen=True, slots=True)
class Edge:
    """``source`` supports, contradicts or depends on ``target``."""

    source: str
    edge: EdgeName
    target: str


@dataclass(frozen=True, slots=True)
class Change:
    """One version of an item: what it became, when, why, and by what evidence or cause.

    ``status`` and ``marked`` are the item's own from then on.
    """

    version: int
    turn: int
    seq: int
    what: str
    why: str
    by: tuple[str, ...] = ()
    status: str = ""
    marked: str = ""

    def as_json(self) -> JsonObject:
        """Plain JSON."""
        return {**asdict(self), "by": list(self.by)}
