"""Recorded failures of others: calls and results that lose each other."""

from __future__ import annotations

import pytest

from compactor import Session, compact, validate
from tests.compactor.case_files import (
    answered,
    calls_of,
    case,
    errors,
    followed,
    keeping,
    session_of,
    shown,
)


def test_f01_a_parallel_batch_stays_or_goes_as_one() -> None:
    batch = {f"c{n}" for n in range(10)}
    given = case("F01")
    longer = followed(
        given, {"role": "assistant", "content": "r" * 400}, {"role": "user", "content": "go on"}
    )
    seen = []
    for keep in range(1, 14):
        policy = keeping(longer, floor_messages=keep, keep_first_user=False)
        made = compact(longer.messages, given.format, policy=policy)
        assert errors(made.messages, "openai-chat") == []
        assert calls_of(made.messages) in (set(), batch)
        assert answered(made.messages) == calls_of(made.messages)
        seen.append(bool(calls_of(made.messages)))
        # What is not kept word for word is covered by a ref that gives it back.
        for line in made.certificate:
            assert line.kept or made.archive.get(line.original) == longer.messages[line.seq]
    assert set(seen) == {True, False}


def test_f02_a_result_whose_call_is_gone_becomes_text(schedule: str) -> None:
    given = case("F02")
    made = compact(given.messages, given.format, policy=keeping(given, floor_messages=7))
    assert errors(made.messages, "openai-chat") == []
    said = [m["content"] for m in made.messages if m["role"] == "user"]
    assert any(given.expect["text_of_orphan"] in text for text in said)
    results = [m for m in made.messages if m["role"] == "tool"]
    assert [(m["tool_call_id"], m["content"]) for m in results] == [("B", "new result")]
    few = compact(given.messages, given.format, policy=keeping(given))
    assert errors(few.messages, "openai-chat") == []
    # Which turns leave first depends on the schedule; that none is torn does not.
    assert ("new result" in shown(few.messages)) == bool(calls_of(few.messages))
    assert calls_of(few.messages) == {"B"} or schedule != "epoch"


def test_f03_a_server_tools_result_stays_with_its_call() -> None:
    given = case("F03")
    for keep in range(1, 5):
        made = compact(given.messages, given.format, policy=keeping(given, floor_messages=keep))
        assert errors(made.messages, "anthropic") == []
        text = shown(made.messages)
        assert ("server_tool_use" in text) == ("advisor_tool_result" in text)


def test_f04_an_open_call_survives_and_its_result_completes_the_pair() -> None:
    given = case("F04")
    session = session_of(given, keeping(given))
    made = session.context(given.format).messages
    assert errors(made, "openai-chat") == []
    assert made[-1] == given.messages[-1]
    assert len(made) < len(given.messages)
    session.append(given.expect["then_append"], given.format)
    later = session.context(given.format).messages
    assert validate(later, "openai-chat") == []
    assert later[-2:] == [given.messages[-1], given.expect["then_append"]]


def test_f05_a_late_result_becomes_user_text_that_names_its_tool() -> None:
    given = case("F05")
    session = session_of(given, keeping(given))
    assert "x9" not in calls_of(session.context(given.format).messages)
    session.append(given.expect["append"], given.format)
    made = session.context(given.format).messages
    assert validate(made, "openai-chat") == []
    assert made[-1]["role"] == "user"
    assert "tool build" in made[-1]["content"]
    assert "build ok 7f3a" in made[-1]["content"]


@pytest.mark.parametrize("keep", [1, 3, 4])
def test_f06_a_users_word_beside_a_lost_result_stays(keep: int) -> None:
    given = case("F06")
    session = Session(keeping(given, floor_messages=keep, anchor=False))
    for message in given.messages:
        # keep_user_messages: what the user wrote is pinned.
        session.append(message, given.format, pinned=message["role"] == "user")
    made = session.context(given.format).messages
    assert errors(made, "anthropic") == []
    assert "never delete a.txt" in shown(made)


def test_f08_reused_ids_keep_every_output() -> None:
    given = case("F08")
    made = compact(given.messages, given.format)
    assert errors(made.messages, "openai-chat") == []
    results = [m["content"] for m in made.messages if m["role"] == "tool"]
    assert results == ["a" * 300, "b" * 300, "c" * 300]
    assert errors(compact(given.messages, given.format).messages, "openai-chat") == []


def test_f10_an_empty_id_is_mended_or_named() -> None:
    given = case("F10")
    assert ("id_form", 1) in [(f.rule, f.index) for f in validate(given.messages, "openai-chat")]
    made = compact(given.messages, given.format)
    assert errors(made.messages, "openai-chat") == []
    (call_id,) = calls_of(made.messages)
    assert call_id
    assert answered(made.messages) == {call_id}
    assert [m["content"] for m in made.messages if m["role"] == "tool"] == ["r"]


@pytest.mark.parametrize("keep", [1, 3, 5])
def test_f14_a_history_never_opens_with_the_models_turn(keep: int) -> None:
    given = followed(case("F14"), {"role": "user", "content": "next " * 100})
    session = session_of(given, keeping(given, floor_messages=keep, keep_first_user=False))
    made = session.context(given.format).messages
    assert validate(made, "gemini") == []
    assert made[0]["role"] == given.expect["first_role"] == "user"
    assert len(made) < len(given.messages)
