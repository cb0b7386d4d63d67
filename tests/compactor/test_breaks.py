"""The test mode for prefixes: the first byte that differs, and why."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from compactor import Policy, Session
from compactor.breaks import first_break
from compactor.errors import PrefixBroken
from compactor.formats import FORMATS
from tests.compactor.histories import recorded


def _message(text: str, **more: Any) -> dict[str, Any]:
    return {"role": "user", "content": text, **more}


@pytest.mark.parametrize(
    ("before", "after", "cause"),
    [
        ([{"role": "user", "content": "a"}], [{"content": "a", "role": "user"}], "key order"),
        ([_message("at 2026-11-30 10:00:01")], [_message("at 2026-11-30 10:00:07")], "a timestamp"),
        ([_message("turn 7 of many")], [_message("turn 8 of many")], "a turn number"),
        (
            [_message("id 3f2a9c1e-0000-4000-8000-000000000001")],
            [_message("id 3f2a9c1e-0000-4000-8000-000000000002")],
            "a random id",
        ),
        (
            [_message("a", cache_control={"type": "ephemeral"}), _message("b")],
            [_message("a"), _message("b", cache_control={"type": "ephemeral"})],
            "a marker",
        ),
        ([_message("a"), _message("b")], [_message("a")], "cut off"),
        ([_message("one thing")], [_message("another thing")], "content"),
    ],
)
def test_the_cause_is_named(before: Any, after: Any, cause: str) -> None:
    found = first_break(json.dumps(before), json.dumps(after))
    assert found is not None
    assert found.cause == cause


def test_the_offset_is_in_bytes() -> None:
    found = first_break('["漢字a"]', '["漢字b"]')
    assert found is not None
    assert (found.byte, found.before, found.after) == (2 + 6, 'a"]', 'b"]')


def test_a_prefix_is_no_break() -> None:
    assert first_break(json.dumps([_message("a")]), json.dumps([_message("a"), {}])) is None


@pytest.mark.parametrize("profile", ["", "mistral-strict"])
def test_recorded_sessions_pass_the_test_mode(profile: str) -> None:
    policy = Policy.preset("epoch", budget_chars=30_000)
    policy = replace(policy, check_prefix=True, profile=profile)
    for _, format, messages in recorded():
        session = Session(policy)
        wanted = ("openai-chat",) if profile else FORMATS
        for message in messages[:60]:
            session.append(message, format)
            if session.as_json()["open_calls"]:
                continue
            if session.context("anthropic").messages[-1]["role"] != "assistant":
                for name in wanted:
                    session.context(name)


def test_the_test_mode_fails_where_the_fixed_part_changes() -> None:
    session = Session(replace(Policy(), check_prefix=True), system="It is 2026-11-30 10:00:01.")
    session.append(_message("why?"))
    session.context()
    session.system = "It is 2026-11-30 10:00:02."
    session.append(_message("and why?"))
    with pytest.raises(PrefixBroken, match=r"byte \d+ differs \(a timestamp\)"):
        session.context()


def test_words_beside_a_result_keep_the_result_as_it_is() -> None:
    policy = replace(Policy(), check_prefix=True, profile="mistral-strict")
    session = Session(policy)
    result = {"type": "tool_result", "tool_use_id": "c1", "content": "three boats"}
    messages: list[dict[str, Any]] = [
        _message("count the boats"),
        {
            "role": "assistant",
            "content": [{"type": "tool_use", "id": "c1", "name": "t", "input": {}}],
        },
        {"role": "user", "content": [result, {"type": "text", "text": "stop"}]},
        {"role": "assistant", "content": "Stopped."},
        _message("go on"),
    ]
    for message in messages:
        session.append(message)
        if message["role"] == "user":
            shown = session.context("openai-chat").messages
            assert [m["content"] for m in shown if m["role"] == "tool"] in ([], ["three boats"])
