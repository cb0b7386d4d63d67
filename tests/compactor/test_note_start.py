"""When the working memory begins to be shown: a short history that is all there needs none."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from compactor import Policy, Session

Json = Any
BUDGET = 20_000


def session_of(share: float = 0.25, **more: Any) -> Session:
    policy = Policy.preset("epoch", budget_chars=BUDGET)
    return Session(replace(policy, anchor_from=share, check_prefix=True, **more))


def turn(number: int, size: int, name: str = "read") -> list[Json]:
    call = {"type": "tool_use", "id": f"c{number}", "name": name, "input": {"n": number}}
    text = (f"{number} " * size)[:size]
    result = {"type": "tool_result", "tool_use_id": f"c{number}", "content": text}
    return [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]


def shown(session: Session, format: str = "anthropic") -> bool:
    return "WORKING MEMORY" in json.dumps(session.context(format).messages)


def test_a_short_history_that_is_all_there_stays_as_it_is() -> None:
    session = session_of()
    entries = [{"role": "user", "content": "Why?"}, *turn(1, 50)]
    session.append_many(entries)
    assert session.context().messages == entries
    always = session_of(0.0)
    always.append_many(entries)
    assert shown(always)


@pytest.mark.parametrize("format", ["anthropic", "openai-chat"])
def test_it_begins_once_and_breaks_nothing_before_it(format: str) -> None:
    session = session_of()
    session.append({"role": "user", "content": "Why?"})
    seen = []
    for number in range(40):
        session.append_many(turn(number, 900))
        size = session.as_json()["cost_chars"]
        seen.append(shown(session, format))  # raises where the prefix is broken
        if not seen[-1]:
            assert size < BUDGET // 4
    assert seen == sorted(seen)
    assert seen.index(True) in range(3, 8)
    assert session.context(format).stats.epoch > 0


def test_what_was_noted_is_shown_from_the_next_turn_on() -> None:
    session = session_of()
    session.append_many([{"role": "user", "content": "Why?"}, *turn(1, 50)])
    assert not shown(session)
    session.set_key_info("station 41")
    session.append_many(turn(2, 50))
    assert shown(session)


def test_what_was_taken_out_is_told_at_once() -> None:
    session = session_of(0.9)
    session.append_many([{"role": "user", "content": "Why?"}, *turn(1, 12_000)])
    assert session.context().stats.refs > 0
    assert session.as_json()["cost_chars"] < 0.9 * BUDGET
    assert shown(session)
