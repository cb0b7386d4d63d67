"""What holds of any session's trace, whatever is written into it."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from obstore.store import LocalStore

from compactor import ObjectArchive, Policy, Session, SqlStore
from compactor.cost import serialise
from compactor.errors import (
    ArtifactCorrupt,
    CompactorError,
    MandatoryDoesNotFit,
    StorageFull,
    VersionMismatch,
)
from compactor.messages import Json
from compactor.trace import (
    Assumption,
    Measurement,
    NewAction,
    NewDecision,
    NewEvidence,
    NewHypothesis,
    Predicate,
    Span,
    Trace,
    TraceRule,
)
from compactor.trace.appending import noted_in
from compactor.trace.items import STATUSES
from compactor.trace.mandatory import mandatory
from compactor.trace.rendering import full_line

POLICY = Policy.preset("epoch", budget_chars=18_000).with_trace(TraceRule(extract=True))
SUBJECTS = ("network", "disk", "cpu")


def _tool_turn(session: Session, choose: random.Random) -> None:
    id = f"t{session.version}"
    call = {"type": "tool_use", "id": id, "name": "read", "input": {"path": choose.choice("ab")}}
    text = f"{choose.choice(SUBJECTS)} gap: {choose.randint(0, 9)} ms\n3 passed, 1 failed"
    result = {"type": "tool_result", "tool_use_id": id, "content": text}
    turn = [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
    said = {"role": "assistant", "content": "what now? " * choose.randint(1, 300)}
    session.append_many([*turn, said, {"role": "user", "content": "go on"}])


def _some(session: Session, choose: random.Random, *kinds: str) -> tuple[str, ...]:
    ids = [item.id for item in session.trace.items(*kinds)]  # type: ignore[arg-type]
    return tuple(choose.sample(ids, min(len(ids), choose.randint(0, 3))))


def _propose(session: Session, choose: random.Random) -> None:
    subject = choose.choice(SUBJECTS)
    holds = Predicate(subject, "gap", choose.choice(("<", ">=")), choose.randint(0, 9), "ms")
    session.propose(
        NewHypothesis(
            f"the {subject} does it",
            status=choose.choice(("proposed", "active")),
            supports=_some(session, choose, "evidence"),
            assumptions=(Assumption("no long gap", holds),),
            invalidation=("someone pulls the plug", holds),
        )
    )


def _move(session: Session, choose: random.Random) -> None:
    noted = [item.id for item in session.trace.items("evidence") if item.status == "noted"]
    for id in _some(session, choose, "hypothesis"):
        session.set_status(
            id, choose.choice(STATUSES), reason="looked at it", evidence=tuple(noted[-2:])
        )


def _note(session: Session, choose: random.Random) -> None:
    against = _some(session, choose, "hypothesis", "evidence", "decision", "sentence")
    value = choose.randint(0, 9)
    session.note_evidence(
        NewEvidence(
            f"gap was {value}",
            measurement=Measurement(choose.choice(SUBJECTS), "gap", value, "ms"),
            supports=_some(session, choose, "hypothesis"),
            contradicts=tuple(f"{id}.a1" if id[0] == "h" else id for id in against),
        )
    )


def _link(session: Session, choose: random.Random) -> None:
    # Cycles, too: whatever depends on whatever.
    for source in _some(session, choose, "hypothesis", "decision"):
        for target in _some(session, choose, "hypothesis", "decision"):
            session.link(source, choose.choice(("depends_on", "supports")), target)


STEPS: tuple[Callable[[Session, random.Random], object], ...] = (
    _tool_turn,
    *(_tool_turn, _tool_turn, _propose, _propose, _note, _note),
    *(_move, _move, _move, _link, _link),
    lambda s, c: s.decide(NewDecision("go on", _some(s, c, "hypothesis", "decision", "evidence"))),
    lambda s, c: s.claim("so it is", _some(s, c, "evidence")),
    lambda s, c: s.set_goal(f"goal {c.randint(0, 9)}"),
    lambda s, c: s.add_constraint(f"never {c.randint(0, 9)}"),
    lambda s, c: s.begin_action(NewAction("deploy", {"to": c.randint(0, 2)}, "external")),
    lambda s, c: [s.end_action(id, "unknown") for id in _some(s, c, "action")],
    lambda s, c: [s.check_action(id, "failed", ("e1",)) for id in _some(s, c, "action")],
    lambda s, c: [
        s.revalidate(id, reason="still", evidence=("e1",)) for id in list(s.trace.marked)
    ],
)


def played(session: Session, seed: int, steps: int) -> None:
    """Random steps; many are refused, which must leave no trace either."""
    choose = random.Random(seed)
    for _ in range(steps):
        before = session.trace.events, session.version
        try:
            choose.choice(STEPS)(session, choose)
        except CompactorError:
            assert session.trace.events >= before[0]


def opened(store: SqlStore, archive: ObjectArchive, id: str, *, new: bool = True) -> Session:
    if new:
        store.create(id, {})
    return Session(POLICY, archive=archive, store=store, session_id=id)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SqlStore]:
    made = SqlStore(f"sqlite:///{tmp_path_factory.mktemp('trace')}/s.db")
    yield made
    made.close()


_NUMBERS = count()


@settings(max_examples=8, deadline=None)
@given(st.integers(0, 2**32))
def test_replay_from_zero_is_the_newest_state_and_the_snapshot(store: SqlStore, seed: int) -> None:
    archive, id = ObjectArchive(), f"s{next(_NUMBERS)}"
    session = opened(store, archive, id)
    played(session, seed, 25)
    half, at = Trace.restored(session.trace.snapshot()), len(store.entries(id))
    played(session, seed + 1, 15)
    again = opened(store, archive, id, new=False)
    again.replay(store.entries(id))
    assert again.trace.snapshot() == session.trace.snapshot()
    assert again.context().messages == session.context().messages
    assert again.trace_events() == session.trace_events()
    for entry in store.entries(id, after=at):
        half.apply(noted_in(entry), entry.seq)
    assert half.snapshot() == session.trace.snapshot()


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32))
def test_marks_reach_direct_dependants_and_stop(seed: int) -> None:
    session, choose = Session(POLICY), random.Random(seed)
    played(session, seed, 50)
    trace = session.trace
    targets = [item.id for item in trace.items("hypothesis", "evidence", "decision")]
    if not targets:
        return
    target = choose.choice(targets)
    direct = {e.source for e in trace.into(target) if e.edge == "depends_on"}
    direct |= {e.target for e in trace.out(target) if e.edge == "supports"}
    before = {item.id: (item.status, item.marked) for item in trace.items()}
    made = session.note_evidence(NewEvidence("it is not so", contradicts=(target,)))
    after = {item.id: (item.status, item.marked) for item in trace.items() if item.id != made.id}
    touched = {id for id, now in after.items() if now != before[id]}
    assert touched <= direct | {target}
    for id in touched - {target}:
        assert after[id][0] == before[id][0], "a dependant's status stays"


def test_a_ring_of_decisions_is_marked_one_step_deep() -> None:
    session = Session(POLICY)
    first = session.decide(NewDecision("first"))
    ring = [first]
    for _ in range(5):
        ring.append(session.decide(NewDecision("next", depends_on=(ring[-1].id,))))
    session.link(first.id, "depends_on", ring[-1].id)
    before = session.trace.events
    session.note_evidence(NewEvidence("not so", contradicts=(ring[2].id,)))
    marked = [item.id for item in ring if session.trace.item(item.id).marked]
    assert marked == [ring[2].id, ring[3].id]
    assert session.trace.events == before + 3


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 2**32))
def test_items_stay_reachable_and_no_status_becomes_firmer_without_a_reason(seed: int) -> None:
    session, known = Session(POLICY), dict[str, int]()
    for round in range(4):
        played(session, seed + round, 10)
        for id, version in known.items():
            assert session.trace.item(id).version >= version
            assert session.trace_of(f"t:{id}@{version}")["id"] == id
        known = {item.id: item.version for item in session.trace.items()}
    for item in session.trace.items():
        changes = session.trace.changes(item.id)
        assert [change.version for change in changes] == list(range(1, item.version + 1))
        assert all(change.why for change in changes)
        if item.kind == "hypothesis":
            said = full_line(session.trace, item)
            assert item.status.replace("_", " ") in said.partition("]")[0]
            firm = [c for c in changes if c.what in ("confirmed", "rejected")]
            assert all(any(by[0] == "e" for by in change.by) for change in firm)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 2_500))
def test_what_is_mandatory_is_shown_or_its_absence_is_an_error(seed: int, budget: int) -> None:
    session = Session(POLICY)
    played(session, seed, 25)
    try:
        found = session.recall("network gap", budget)
    except MandatoryDoesNotFit:
        return
    assert found.chars <= budget
    assert mandatory(session.trace).keys() <= {item.id for item in found.items}
    assert all(item.reason for item in found.items)


def test_the_error_lists_the_remedies() -> None:
    session = Session(POLICY)
    session.add_constraint("Never restart a node. " * 20)
    with pytest.raises(MandatoryDoesNotFit) as caught:
        session.recall("", 50)
    assert caught.value.remedies == ("shrink", "narrow", "defer")
    assert all(word in caught.value.message for word in caught.value.remedies)


def test_a_damaged_original_is_found_and_never_given_out(tmp_path: Path) -> None:
    archive = ObjectArchive(LocalStore(prefix=str(tmp_path)))
    session = Session(POLICY, archive=archive)
    artifact = session.store_artifact("gap seen at 12:04", source="probe")
    noted = session.note_evidence(NewEvidence("a gap", rests_on=(Span(artifact.id, 0, 8),)))
    assert [text for _, text in session.originals(noted.id)] == ["gap seen"]
    [kept] = [path for path in (tmp_path / "sha256").iterdir() if path.is_file()]
    kept.chmod(0o600)
    kept.write_bytes(kept.read_bytes().replace(b"12:04", b"12:05"))
    with pytest.raises(ArtifactCorrupt, match="probe"):
        session.originals(noted.id)
    [item] = [item for item in session.recall(noted.id, 2_000).items if item.id == noted.id]
    assert artifact.id in item.damaged[0]


def test_an_archive_that_fails_takes_no_message_with_it() -> None:
    class Full(ObjectArchive):
        def put(self, value: Json) -> str:
            raise StorageFull("The disk is full.")

    session = Session(POLICY, archive=Full())
    call = {"type": "tool_use", "id": "t1", "name": "read", "input": {}}
    session.append({"role": "user", "content": "look"})
    session.append({"role": "assistant", "content": [call]})
    result = {"type": "tool_result", "tool_use_id": "t1", "content": "disk gap: 3 ms"}
    report = session.append({"role": "user", "content": [result]})
    assert "disk is full" in report.notes[0]
    assert not session.trace.items()
    assert "disk gap: 3 ms" in serialise(session.context().messages)
    with pytest.raises(StorageFull):
        session.store_artifact("more")
    assert not session.trace.items()


def test_writers_of_two_processes_take_turns(store: SqlStore) -> None:
    archive = ObjectArchive()
    one = opened(store, archive, "both")
    other = opened(store, archive, "both", new=False)
    first = one.set_goal("find it")
    with pytest.raises(VersionMismatch):
        other.set_goal("find the other")
    assert not other.trace.items()
    other.replay(store.entries("both"))
    second = other.set_goal("find the other")
    assert (first.id, second.id) == ("g1", "g2")
    one.replay(store.entries("both"))
    assert one.trace.snapshot() == other.trace.snapshot()
    assert one.trace.item("g1").status == "replaced"
