"""One failing case for each rule and profile."""

from __future__ import annotations

from typing import Any

import pytest

from api.reference.rules import rule_rows
from compactor import validate
from compactor.errors import InvalidRequest

Json = Any
GO = {"role": "user", "content": "go"}


def _use(call_id: str = "a", **more: Json) -> Json:
    return {"type": "tool_use", "id": call_id, "name": "t", "input": {}, **more}


def _result(call_id: str = "a") -> Json:
    return {"type": "tool_result", "tool_use_id": call_id, "content": "r"}


def _said(*blocks: Json) -> Json:
    return {"role": "assistant", "content": list(blocks)}


def _told(*blocks: Json) -> Json:
    return {"role": "user", "content": list(blocks)}


def _call(call_id: str = "a") -> Json:
    function = {"name": "t", "arguments": "{}"}
    call = {"id": call_id, "type": "function", "function": function}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


TEXT = {"type": "text", "text": "x"}
MARKED = {**TEXT, "cache_control": {"type": "ephemeral"}}
SERVER = {"type": "web_search_tool_result", "tool_use_id": "s", "content": []}


def _answer(call_id: str = "a") -> Json:
    return {"role": "tool", "tool_call_id": call_id, "content": "r"}


def _says(text: str, **more: Json) -> Json:
    return {"role": "assistant", "content": text, **more}


def _item(call_id: str = "a") -> Json:
    return {"type": "function_call", "call_id": call_id, "name": "t", "arguments": "{}"}


def _output(call_id: str = "a") -> Json:
    return {"type": "function_call_output", "call_id": call_id, "output": "r"}


Case = tuple[str, list[Json], str, int]
SYSTEM = {"role": "system", "content": "s"}
TWICE = {**_call(), "tool_calls": _call()["tool_calls"] * 2}
CHAT = ("openai-chat", "gemini", "mistral-strict", "deepseek-reasoner")
STRICT = ("gemini", "mistral-strict", "deepseek-reasoner")

_CHAT_CASES: list[tuple[list[Json], str, int]] = [
    ([GO, _answer()], "orphan_result", 1),
    ([GO, _call(), GO], "open_call", 1),
    ([GO, TWICE, _answer()], "id_reused", 1),
    ([GO, _says("")], "empty_content", 1),
    ([GO, _call(""), _answer("")], "id_form", 1),
]
_STRICT_CASES: list[tuple[list[Json], str, int]] = [
    ([_says("x"), GO], "first_role", 0),
    ([GO, SYSTEM], "system_first", 1),
    ([GO, GO], "alternation", 1),
]
CASES: list[Case] = [
    ("anthropic", [_said(TEXT)], "first_role", 0),
    ("anthropic", [GO, {"role": "system", "content": "s"}], "system_role", 1),
    ("anthropic", [GO, _told(_result())], "orphan_result", 1),
    ("anthropic", [GO, _said(_use()), GO], "open_call", 1),
    ("anthropic", [GO, _said(_use(), _use("b")), _told(_result(), TEXT)], "open_call", 1),
    ("anthropic", [GO, _said(_use()), _told(TEXT, _result())], "results_first", 2),
    ("anthropic", [GO, _said({"type": "text", "text": " "})], "empty_content", 1),
    ("anthropic", [GO, _told()], "empty_content", 1),
    ("anthropic", [GO, _said(_use("x:1")), _told(_result("x:1"))], "id_form", 1),
    (
        "anthropic",
        [GO, _said(_use()), _told(_result()), _said(_use()), _told(_result())],
        "id_reused",
        3,
    ),
    ("anthropic", [GO, _said(_use(input="{}")), _told(_result())], "input_form", 1),
    ("anthropic", [GO, _said(SERVER)], "orphan_result", 1),
    ("anthropic", [_told(*[MARKED] * 5)], "cache_markers", 0),
    ("openai-responses", [GO, _output()], "orphan_result", 1),
    ("openai-responses", [GO, _item(), GO], "open_call", 1),
    ("openai-responses", [GO, _item(), _output(), _item(), _output()], "id_reused", 3),
    ("openai-responses", [GO, {"type": "reasoning", "id": "rs_1"}, GO], "reasoning_alone", 1),
    ("openai-responses", [GO, _says("x", id="msg_1")], "item_id", 1),
    ("openai-responses", [GO, _says("")], "empty_content", 1),
    ("openai-responses", [GO, _item(""), _output("")], "id_form", 1),
    ("gemini", [GO, _says("x"), _call(), _answer()], "call_after_user", 2),
    ("gemini", [GO, _says("x")], "last_role", 1),
    ("mistral-strict", [GO, _call("abcdefghi"), _answer("abcdefghi"), GO], "user_after_results", 3),
    ("mistral-strict", [GO, _call("too-short"), _answer("too-short")], "id_form", 1),
    ("mistral-strict", [GO, _says("x")], "last_role", 1),
    ("deepseek-reasoner", [GO, _says("x")], "reasoning_content", 1),
    *((profile, *case) for profile in CHAT for case in _CHAT_CASES),
    *((profile, *case) for profile in STRICT for case in _STRICT_CASES),
]


@pytest.mark.parametrize(("profile", "messages", "rule", "index"), CASES)
def test_each_rule_names_the_message(
    profile: str, messages: list[Json], rule: str, index: int
) -> None:
    found = [(f.rule, f.index) for f in validate(messages, profile)]
    assert (rule, index) in found
    assert all(finding.mend for finding in validate(messages, profile))


def test_every_rule_of_every_profile_has_a_failing_case() -> None:
    documented = {(profile, rule) for profile, rule, *_ in rule_rows()}
    assert documented == {(profile, rule) for profile, _, rule, _ in CASES}


def test_a_turn_that_waits_for_results_is_open_not_wrong() -> None:
    (finding,) = validate([GO, _call()], "openai-chat")
    assert (finding.index, finding.rule, finding.severity) == (1, "open_call", "open")


def test_parallel_results_in_one_or_several_messages_are_valid() -> None:
    calls = _said(_use(), _use("b"))
    assert validate([GO, calls, _told(_result(), _result("b"), TEXT)], "anthropic") == []
    assert validate([GO, calls, _told(_result()), _told(_result("b"))], "anthropic") == []


def test_unknown_profile_is_refused() -> None:
    with pytest.raises(InvalidRequest, match="anthropic"):
        validate([], "nope")
