"""Recorded failures of others: thinking, reasoning and item ids."""

from __future__ import annotations

import pytest

from compactor import compact, validate
from compactor.messages import Json
from tests.compactor.case_files import case, errors, followed, keeping, session_of


def _thoughts(messages: list[Json]) -> dict[str, Json]:
    """Thinking blocks by their signature."""
    return {
        block["signature"]: block
        for message in messages
        for block in message["content"]
        if block["type"] == "thinking"
    }


def test_f41_signed_thinking_is_never_shortened(schedule: str) -> None:
    given = case("F41")
    came = _thoughts(given.messages)
    for budget in (3_600, 5_000, 6_500):
        policy = keeping(given, budget_chars=budget)
        made = compact(given.messages, given.format, policy=policy).messages
        assert errors(made, "anthropic") == []
        left = _thoughts(made)
        assert left == {name: came[name] for name in left}
        assert "SIG1" not in left or schedule != "epoch"
        assert left["SIG2"] == came["SIG2"]


@pytest.mark.parametrize("keep", [1, 2, 3, 4, 5])
def test_f42_thinking_of_one_turn_of_tool_use_stays_or_goes_together(keep: int) -> None:
    given = case("F42")
    made = compact(given.messages, given.format, policy=keeping(given, floor_messages=keep))
    assert errors(made.messages, "anthropic") == []
    assert set(_thoughts(made.messages)) in (set(), set(given.expect["all_or_none_in_turn"]))
    whole = compact(given.messages, given.format, policy=keeping(given, budget_chars=5_000))
    assert whole.messages == given.messages
    for line in made.certificate:
        assert line.kept or made.archive.get(line.original) == given.messages[line.seq]


def test_f43_signatures_go_with_the_prefix_that_they_were_made_on() -> None:
    given = case("F43")
    policy = keeping(
        given,
        keep_first_user=False,
        budget_chars=500,
        drop_signed_after_cut=given.config["drop_signed_before_boundary"],
    )
    longer = followed(given, {"role": "user", "content": [{"type": "text", "text": "e" * 300}]})
    made = compact(longer.messages, given.format, policy=policy).messages
    assert errors(made, "anthropic") == []
    assert len(made) < len(longer.messages)
    assert len(_thoughts(made)) == given.expect["signed_blocks_in_kept_tail"]
    assert "c" in str(made)


def test_f44_every_assistant_message_carries_its_reasoning() -> None:
    given = case("F44")
    for keep in (2, 3, 5):
        longer = followed(given, {"role": "assistant", "content": "w" * 300})
        made = session_of(longer, keeping(longer, floor_messages=keep)).context(given.format)
        assert [f for f in validate(made.messages, given.profile) if f.severity == "error"] == []
        said = [m for m in made.messages if m["role"] == "assistant"]
        assert said
        assert all(given.expect["every_assistant_has"] in message for message in said)
    whole = session_of(given, keeping(given, budget_chars=10_000)).context(given.format).messages
    assert [m["reasoning_content"] for m in whole if m["role"] == "assistant"] == ["why", ""]


def test_f45_an_item_keeps_its_id_only_behind_its_reasoning() -> None:
    given = case("F45")
    made = compact(given.messages, given.format).messages
    assert validate(made, given.format) == []
    ids = [item["id"] for item in made if "id" in item]
    assert ids == given.expect["ids_kept"]
    assert {"a", "b"} <= {item.get("content") for item in made}
