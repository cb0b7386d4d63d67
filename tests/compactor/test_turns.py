"""A session told turn by turn, from its log alone."""

from __future__ import annotations

from typing import Any

from compactor import Policy, Session, SqlStore
from compactor.cost import cost
from compactor.turns import Turn, turns_of

POLICY = Policy.preset("epoch", budget_chars=20_000)


def told(messages: list[dict[str, Any]]) -> tuple[list[Turn], Session]:
    store = SqlStore("sqlite://")
    store.create("s", {})
    session = Session(POLICY, store=store, session_id="s")
    for message in messages:
        session.append(message)
    found = turns_of(Session(POLICY), store.entries("s"))
    store.close()
    return found, session


def step(number: int, chars: int) -> list[dict[str, Any]]:
    call = {"type": "tool_use", "id": f"call_{number}", "name": "code_run", "input": {"n": number}}
    line = f"{number:03} boats crossed the bar\n"
    result = {
        "type": "tool_result",
        "tool_use_id": f"call_{number}",
        "content": line * (chars // len(line)),
    }
    return [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]


TASK = {"role": "user", "content": "Count the boats."}


def test_a_turn_begins_where_the_assistant_speaks() -> None:
    messages = [TASK, *step(0, 200), *step(1, 200)]
    turns, _ = told(messages)
    assert [(turn.first, turn.last) for turn in turns] == [(0, 0), (1, 2), (3, 4)]
    assert [turn.kinds for turn in turns] == [("user",), *[("assistant", "user")] * 2]
    assert [turn.added for turn in turns] == [
        cost(TASK), *(sum(map(cost, step(number, 200))) for number in range(2)),
    ]  # fmt: skip
    assert all(turn.truncated == turn.compressed == turn.evicted == 0 for turn in turns)
    # Nothing was taken out, so each context begins with all of the one before.
    assert turns[2].reused >= turns[1].cost_chars - 400


def test_what_is_cut_on_the_way_in_is_truncated() -> None:
    turns, session = told([TASK, *step(0, 15_000)])
    came = sum(map(cost, step(0, 15_000)))
    assert turns[1].added == came
    assert 0 < turns[1].truncated < came
    assert turns[1].cost_chars == sum(size for _, size in session.standing())


def test_what_leaves_is_counted_and_the_end_is_the_session_s() -> None:
    turns, session = told([TASK, *(each for n in range(20) for each in step(n, 3_000))])
    shown = session.as_json()
    assert shown["evicted"] > 0
    assert sum(turn.evicted for turn in turns) > 20_000
    for turn in turns:
        assert turn.cost_chars <= turn.budget_chars == shown["budget_chars"]
        assert turn.reused <= turn.cost_chars
    ended = [turn for turn in turns if turn.evicted]
    assert all(turn.reused < turn.cost_chars / 2 for turn in ended)
    assert turns[-1].last == shown["version"] - 1
