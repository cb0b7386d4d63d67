"""Tool definitions in the text protocol."""

from __future__ import annotations

from compactor import Policy, Session

TOOLS = [{"name": "read", "description": "reads a file"}]


def _turn(session: Session, size: int = 10) -> str:
    session.append({"role": "user", "content": "x" * size}, "text")
    sent = str(session.context("text").tools)
    session.append({"role": "assistant", "content": "ok"}, "text")
    return sent


def test_unchanged_tools_are_one_sentence_until_ten_turns_have_passed() -> None:
    session = Session(Policy.preset(budget_chars=90_000), tools=TOOLS)
    shown = ["reads a file" in _turn(session) for _ in range(21)]
    assert [request for request, full in enumerate(shown, 1) if full] == [1, 11, 21]
    assert "the same as in turn 20" in _turn(session)


def test_they_come_again_after_many_characters() -> None:
    session = Session(Policy.preset(budget_chars=190_000), tools=TOOLS)
    assert ["reads a file" in _turn(session, 13_000) for _ in range(4)] == [
        True,
        False,
        True,
        False,
    ]


def test_native_formats_always_get_them_in_full() -> None:
    session = Session(Policy.preset(budget_chars=90_000), tools=TOOLS)
    _turn(session)
    assert session.context("anthropic").tools == TOOLS
