"""What has left the context is told in one entry, and all of it is one look-up away."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings

from compactor import Policy, Session, SqlStore, validate
from compactor.cost import serialise
from compactor.left import HEAD, MOST_SPANS
from compactor.policy import PRESETS
from tests.compactor.histories import anthropic_histories

Json = Any


def agent(turns: int, chars: int = 900) -> list[Json]:
    made: list[Json] = [
        {"role": "user", "content": "Find the leak; the vessel is called Halcyon-31."}
    ]
    for n in range(turns):
        call = {
            "type": "tool_use",
            "id": f"t{n}",
            "name": "read",
            "input": {"path": f"hull/deck_{n}.log"},
        }
        text = f"deck {n} has valve V-{5000 + n}\n" + "all dry " * (chars // 8)
        made.append({"role": "assistant", "content": [call]})
        result = {"type": "tool_result", "tool_use_id": f"t{n}", "content": text}
        made.append({"role": "user", "content": [result]})
    return made


def opened(budget: int = 12_000, **settings: Any) -> Session:
    return Session(Policy(budget_chars=budget, **settings))


def indexes(session: Session) -> list[int]:
    return [i for i, m in enumerate(session.context().messages) if HEAD in serialise(m)]


def test_entries_behind_the_task_tell_of_it() -> None:
    session, most = opened(40_000), 0
    for message in agent(160):
        session.append(message)
        found = indexes(session)
        assert found == list(range(1, len(found) + 1))
        assert not [
            f for f in validate(session.context().messages, "anthropic") if f.severity == "error"
        ]
        most = max(most, len(found))
    assert 1 < most <= MOST_SPANS
    shown = session.context().messages[1 : 1 + len(found)]
    assert len(serialise(shown)) <= 0.35 * 40_000
    assert "> assistant: hull/deck_" in serialise(shown)  # facts of what has left, word for word


def test_an_entry_stays_to_the_byte_when_another_follows() -> None:
    session, before, followed, anew = opened(40_000), list[str](), 0, 0
    for message in agent(260):
        session.append(message)
        shown = session.context().messages
        now = [serialise(shown[at]) for at in indexes(session)]
        if now != before:
            followed += bool(before) and now[: len(before)] == before
            anew += len(now) == 1
        before = now
    assert followed > anew > 1


def test_what_is_no_longer_true_is_told_anew() -> None:
    session = opened(40_000)
    for message in agent(70):
        session.append(message)
        if session.version == 5:
            session.append({"role": "assistant", "content": "The tide gauge is now TG-448812."})
            session.append({"role": "user", "content": "Good."})
    assert "TG-448812" in serialise(session.context().messages[1])
    session.append({"role": "assistant", "content": "The tide gauge is now TG-991155."})
    for message in agent(60)[1:]:
        session.append(message)
    told = serialise([session.context().messages[at] for at in indexes(session)])
    assert "TG-448812" not in told


def test_everything_that_left_is_behind_a_ref_in_view() -> None:
    messages = agent(80)
    session = opened()
    for message in messages:
        session.append(message)
    shown = serialise(session.context().messages)
    behind = "".join(session.expand_text(ref) for ref in session.refs(shown))
    assert session.as_json()["evicted"] > 100
    for n in range(80):
        assert f"V-{5000 + n}" in shown + behind
    assert shown.count("messages ") <= 2 * MOST_SPANS


def test_a_span_expands_to_its_messages_in_their_order() -> None:
    messages = agent(80)
    session = opened()
    for message in messages:
        session.append(message)
    refs = session.refs(serialise([session.context().messages[at] for at in indexes(session)]))
    spans = [ref for ref in refs if isinstance(session.expand(ref), list)]
    found = [message for ref in spans for message in session.expand(ref)]
    assert found == messages[1 : 1 + len(found)]  # the task stays, the rest left from the oldest on
    assert len(found) == session.as_json()["evicted"]
    assert [number for number, _ in session.grep(spans[0], "deck_3.log")]
    assert len(session.peek(spans[0], 5, 40)) == 40


def test_between_two_batches_the_entry_stays_as_it_is() -> None:
    session, before = opened(), "[]"
    epochs = set()
    for message in agent(60):
        report = session.append(message)
        changed = any(change.step in ("evict", "compress") for change in report.changes)
        shown = session.context().messages
        now = serialise([shown[at] for at in indexes(session)])
        assert changed or now == before
        before = now
        epochs.add(now)
    assert len(epochs) > 3


def test_a_session_from_its_log_tells_the_same() -> None:
    store = SqlStore("sqlite://")
    store.create("one", {})
    policy = Policy(budget_chars=12_000)
    session = Session(policy, store=store, session_id="one")
    for message in agent(58):
        session.append(message)
    plan = session.plan(5_000)
    assert session.apply(plan).status == "done"
    assert indexes(session)
    again = Session(policy, archive=session.archive, session_id="one")
    again.replay(store.entries("one"))
    assert serialise(again.context().messages) == serialise(session.context().messages)
    assert plan.after_chars <= 5_000


@pytest.mark.parametrize("preset", [name for name in PRESETS if name != "epoch"])
def test_the_policies_of_others_have_none(preset: str) -> None:
    session = Session(Policy.preset(preset, budget_chars=12_000))
    for message in agent(40):
        session.append(message)
    assert session.as_json()["evicted"] > 20
    assert not indexes(session)


def test_without_a_share_there_is_none() -> None:
    session = opened(index_share=0.0)
    for message in agent(40):
        session.append(message)
    assert not indexes(session)


@settings(max_examples=25, deadline=None)
@given(anthropic_histories)
def test_whatever_left_can_be_found_from_the_context(messages: list[Json]) -> None:
    session, gone = opened(budget=6_000), dict[int, str]()
    for message in messages:
        report = session.append(message)
        gone |= {c.seq: c.ref for c in report.changes if c.step == "evict" and c.why == "budget"}
    context = session.context()
    behind = [session.expand(ref) for ref in session.refs(serialise(context.messages))]
    reached = [message for value in behind if isinstance(value, list) for message in value]
    if any(HEAD in serialise(message) for message in context.messages):
        assert all(session.expand(ref) in reached for seq, ref in gone.items() if seq >= 0)
    else:
        assert not gone or context.stats.cost_chars > 0.7 * 6_000  # there was no room for it
