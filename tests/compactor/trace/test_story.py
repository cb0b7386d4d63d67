"""The worked story: a rejected suspicion comes back when what its rejection rested on falls."""

from __future__ import annotations

import pytest

from compactor.cost import serialise
from tests.compactor.trace.story import (
    EXPECTED,
    HIGH_RATE,
    RAW_LOGS,
    TWIN,
    UNRELATED,
    faults,
    opened,
    play,
)


def test_the_suspicion_comes_back_and_nothing_else_falls() -> None:
    session, wrong = opened(), list[str]()
    for turn, ids in play(session, at_80=HIGH_RATE):
        wrong += [f"turn {turn}: {fault}" for fault in faults(session)]
        if turn == 79:
            assert ids.standing(session) == TWIN
        if turn == 80:
            # Nothing but the result was appended.
            assert ids.standing(session) == EXPECTED
            mark = session.trace.item(ids.decision).marked
            assert ids.network in mark
            shown = serialise(session.context().messages)
            assert "reopened" in shown
            assert "Find why the cluster changes its leader." in shown
            assert "Do not restart a node." in shown
            # The raw logs have left, and each of two ways brings them back in one step.
            assert RAW_LOGS not in shown.replace("\\n", "\n")
            one_look_up = [session.expand_text(ref) for ref in session.refs(shown)]
            assert any(RAW_LOGS in text.replace("\\n", "\n") for text in one_look_up)
            [(span, text)] = session.originals(ids.logs)
            assert text == RAW_LOGS[span.start : span.end]
    assert not wrong


def test_unrelated_evidence_reopens_nothing() -> None:
    session = opened()
    for turn, ids in play(session, at_80=UNRELATED):
        if turn in (79, 80):
            assert ids.standing(session) == TWIN


def test_what_is_recalled_says_why_and_holds_the_counter_evidence() -> None:
    session = opened()
    for turn, ids in play(session, at_80=HIGH_RATE):
        if turn == 81:
            found = session.recall("why was the network rejected", 3_000)
            got = {item.id: item.reason for item in found.items}
            assert {ids.network, ids.logs} <= got.keys()
            assert "counter-evidence" in got[ids.logs]
            assert all(got.values())
            assert found.chars <= 3_000
            break


@pytest.mark.parametrize("preset", ["paper", "upstream"])
def test_other_policies_keep_their_budget_and_rules_beside_it(preset: str) -> None:
    session, wrong = opened(preset), list[str]()
    for turn, ids in play(session, at_80=HIGH_RATE):
        if turn % 7 == 0 or turn in (36, 80):
            wrong += [f"turn {turn}: {fault}" for fault in faults(session)]
        if turn == 80:
            assert ids.standing(session) == EXPECTED
    assert not wrong


def test_a_rejected_suspicion_costs_one_line_that_says_what_would_open_it_again() -> None:
    session = opened()
    for turn, ids in play(session, at_80=HIGH_RATE):
        if turn == 36:
            shown = serialise(session.context().messages).replace("\\n", "\n").split("\n")
            [line] = [line for line in shown if line.startswith(f"{ids.network} [")]
            assert "provisionally rejected" in line
            assert "reopens if not network gap < 50 ms" in line
            assert session.trace.item(ids.network).trace_ref in line
            rejected_by = session.trace.changes(ids.network)[-1].by
            assert all(id in line for id in rejected_by)
            assert len(line) <= 160
            assert session.trace_of(line.rpartition("ref ")[2].rstrip(")"))["id"] == ids.network
            break
