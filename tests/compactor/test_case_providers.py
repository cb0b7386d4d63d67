"""Recorded failures of others: thinking, reasoning and item ids."""

from __future__ import annotations

from compactor import compact, validate
from tests.compactor.case_files import case, followed, keeping, session_of


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
