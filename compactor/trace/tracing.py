"""A session's memory of what it knows and why: every write is an entry of its log, as messages are."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from compactor.errors import InvalidRequest
from compactor.log import Along, Beside, Entry, Keyed
from compactor.messages import Json, JsonObject
from compactor.steering import Steering
from compactor.trace import mandate, writing
from compactor.trace.asked import (
    Assumption,
    ChildResult,
    Contract,
    NewAction,
    NewDecision,
    NewEvidence,
    NewHypothesis,
    Outcome,
)
from compactor.trace.candidates import RecallKind
from compactor.trace.children import Child, write_child, write_contract, write_result
from compactor.trace.draft import Draft
from compactor.trace.graph import Trace
from compactor.trace.items import Edge, EdgeName, Item, Status
from compactor.trace.originals import store
from compactor.trace.reading import TraceReading
from compactor.trace.recall import Recall, recall
from compactor.trace.rendering import anchor_text
from compactor.trace.writing import write_artifact


class Tracing(TraceReading, Steering):
    """The part of a session that writes down evidence, claims and decisions, and recalls them.

    Every method that writes returns the item as it stands then. All raise InvalidRequest for what is not
    allowed and NotFound for an id that names nothing; nothing is written then.
    """

    tools: Json
    _trace: Trace
    _told: list[tuple[int, JsonObject]]
    _keyed: Keyed | None

    @property
    def trace(self) -> Trace:
        """What is known. To be read; the session's methods write."""
        return self._trace

    @contextmanager
    def keyed(self, keyed: Keyed | None) -> Iterator[None]:
        """What is written inside is committed with this key and its answer (``written``), for the store to
        give again to who repeats the request.
        """
        self._keyed = keyed
        try:
            yield
        finally:
            self._keyed = None

    def set_goal(self, text: str) -> Item:
        """The goal; one that was there before is replaced and stays readable."""
        return self._written(lambda draft: mandate.write_goal(draft, text))

    def add_constraint(self, text: str, source: str = "user") -> Item:
        """What may not be broken, from the user or the system."""
        if source == "contract":
            raise InvalidRequest("source must be user or system.", field="source")
        return self._written(lambda draft: mandate.write_constraint(draft, text, source))

    def lift_constraint(self, id: str, reason: str) -> Item:
        """A constraint holds no more; not one of a contract."""
        return self._written(lambda draft: mandate.write_lifting(draft, id, reason))

    def begin_action(self, action: NewAction) -> Item:
        """A tool is about to be called. The same action again: given back where it is done.

        Raises:
            Conflict: it has side effects, and what came of it is not known: ``check_action`` first.
        """
        return self._written(lambda draft: mandate.write_action(draft, action))

    def end_action(self, id: str, outcome: Outcome, why: str = "") -> Item:
        """What came of an action: ``done``, ``failed`` or ``unknown``."""
        return self._written(lambda draft: mandate.write_outcome(draft, id, outcome, why))

    def check_action(self, id: str, outcome: Outcome, evidence: Sequence[str]) -> Item:
        """What an action whose outcome was unknown is found to have done."""
        return self._written(lambda draft: mandate.write_check(draft, id, outcome, evidence))

    def store_artifact(
        self,
        content: str | bytes,
        *,
        media_type: str = "text/plain",
        source: str = "",
        version: str = "",
    ) -> Item:
        """Keep an original: stored, read back and compared before anything says that it is there.

        ``version`` of a ``source`` that has another one now marks the evidence that rests on the old.

        Raises:
            ArtifactCorrupt, StorageFull: it could not be kept; nothing was written.
        """
        body = store(self.archive, content, media_type=media_type, source=source, version=version)
        return self._written(lambda draft: write_artifact(draft, body))

    def note_evidence(self, evidence: NewEvidence) -> Item:
        """A fact. What it contradicts, or whose condition it meets, is opened again or marked, with its
        direct dependants.
        """
        return self._written(lambda draft: writing.write_evidence(draft, evidence))

    def propose(self, hypothesis: NewHypothesis) -> Item:
        """A claim, as ``proposed`` or ``active``."""
        return self._written(lambda draft: writing.write_hypothesis(draft, hypothesis))

    def set_status(
        self,
        id: str,
        status: Status,
        *,
        reason: str,
        evidence: Sequence[str] = (),
        assumptions: Sequence[Assumption] = (),
    ) -> Item:
        """Another status of a hypothesis, never without a reason; closed ones need evidence."""
        return self._written(
            lambda draft: writing.write_status(
                draft, id, status, reason, evidence=evidence, assumptions=assumptions
            )
        )

    def decide(self, decision: NewDecision) -> Item:
        """A choice, and what it depends on."""
        return self._written(lambda draft: writing.write_decision(draft, decision))

    def claim(self, text: str, depends_on: Sequence[str]) -> Item:
        """A sentence of a summary, which stands as long as its evidence does."""
        return self._written(lambda draft: writing.write_sentence(draft, text, depends_on))

    def revalidate(self, id: str, *, reason: str, evidence: Sequence[str]) -> Item:
        """A marked item was looked at again and stands, by this evidence."""
        return self._written(lambda draft: writing.write_revalidation(draft, id, reason, evidence))

    def link(self, source: str, edge: EdgeName, target: str) -> Item:
        """Draw an edge between items that are there; what a contradiction does, it does here too."""
        return self._written(lambda draft: writing.write_link(draft, Edge(source, edge, target)))

    def open_child(
        self,
        contract: Contract,
        session_id: str,
        *,
        create: Callable[[Child], Beside] | None = None,
    ) -> Child:
        """A sub-session under this id. ``create`` says what writes its rows in the same transaction
        (``SqlStore.creating``): both are there then, or neither is. Without it the caller opens a session
        whose first step is ``begin_as_child``.
        """
        made: list[Child] = []

        def write(draft: Draft) -> Item:
            limits = {"budget_chars": self.budget_chars, "tools": self.tools}
            made.append(write_child(draft, contract, session_id, **limits))
            return made[0].item

        self._written(write, None if create is None else lambda: create(made[0]))
        return made[0]

    def begin_as_child(self, child: Child) -> None:
        """Take the contract, as the first thing in a new session.

        Raises:
            InvalidRequest: this session may have more than the contract allows, or has begun already.
        """
        if self.version:
            raise InvalidRequest("A sub-session begins with its contract.", field="id")
        if self.budget_chars > child.budget_chars or self.tools != child.tools:
            raise InvalidRequest("A sub-session may not have more than its contract.", field="id")

        def write(draft: Draft) -> Item:
            write_contract(draft, child.goal, child.constraints)
            return draft.item("g1")

        self._written(write)

    def close_child(self, id: str, result: ChildResult) -> Item:
        """What a sub-session came to; its whole history stays readable by the ``trace_ref``."""
        return self._written(lambda draft: write_result(draft, id, result))

    def recall(
        self,
        query: str,
        budget_chars: int,
        *,
        kind: RecallKind | None = None,
        retriever: str = "",
    ) -> Recall:
        """What matters for a query in at most so many characters, each item with the reason why.

        ``kind`` narrows what is chosen beside what must be shown; ``retriever`` names a plug-in to ask, too.

        Raises:
            MandatoryDoesNotFit: goal, constraints, open hypotheses, unfinished risky actions and their
                facts need more; the message lists the remedies.
        """
        found = recall(
            self._trace,
            query,
            budget_chars,
            rule=self.policy.trace,
            verify=self.artifact_content,
            kind=kind,
            retriever=retriever,
        )
        return replace(found, version=self.version)

    def _written(
        self, write: Callable[[Draft], Item], beside: Callable[[], Beside] | None = None
    ) -> Item:
        """Commit what ``write`` asks for, and take it; an item that asks for nothing new is given back."""
        draft = Draft(
            self._trace, self.policy.trace, turn=self._state.memory.turn, seq=self._state.version
        )
        item = write(draft)
        if draft.events:
            seq, books = self._state.version, self._books.draft()
            for ref in refs_in(draft.events):
                books.refs[ref] = None
            state = replace(self._state, version=seq + 1)
            reply = written(draft.item(item.id), seq + 1) if self._keyed else {}
            along = Along(self._keyed, reply, beside() if beside else None)
            self._settle("trace", {"events": draft.events}, state, books, along=along)
            self._know(draft.events, seq)
        return self._trace.item(item.id)

    def _hear(self, entries: Sequence[Entry]) -> None:
        """Take entries of the log that only tell of what is known; the working memory is told once of all."""
        for entry in entries:
            events = entry.body["events"]
            self._books.refs.update(dict.fromkeys(refs_in(events)))
            self._books.others[entry.seq] = entry.kind
            self._trace.apply(events, entry.seq)
            self._told += ((entry.seq, event) for event in events)
        if entries:
            self._state = replace(self._state, version=entries[-1].seq + 1)
            self._remember()

    def _know(self, events: Sequence[JsonObject], seq: int) -> None:
        """Take events that were committed; the working memory tells of them from now on."""
        if not events:
            return
        self._trace.apply(events, seq)
        self._told += ((seq, event) for event in events)
        self._remember()

    def _remember(self) -> None:
        rule = self.policy.trace
        text = anchor_text(self._trace, most=rule.anchor_chars, line=rule.reminder_chars)
        if text != self._state.memory.trace:
            self._state = replace(self._state, memory=replace(self._state.memory, trace=text))


def written(item: Item, version: int) -> JsonObject:
    """An item as it is answered with after a write, with the version that the session is at then."""
    return {**item.as_json(), "session_version": version}


def refs_in(events: Sequence[JsonObject]) -> list[str]:
    """Refs of the originals that some events keep."""
    added = (event for event in events if event["op"] == "add" and event["kind"] == "artifact")
    return [event["body"]["ref"] for event in added]
