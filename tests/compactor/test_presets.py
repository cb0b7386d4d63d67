"""The numbers of the shipped policies, seen in what sessions do with them."""

from __future__ import annotations

from typing import Any

import pytest

from compactor import Policy, Report, Session

WINDOW = 30_000


def _calls(names: list[str]) -> dict[str, Any]:
    blocks = [
        {"type": "tool_use", "id": f"t{i}", "name": name, "input": {}}
        for i, name in enumerate(names)
    ]
    return {"role": "assistant", "content": blocks}


def _results(count: int, text: str) -> dict[str, Any]:
    blocks = [
        {"type": "tool_result", "tool_use_id": f"t{i}", "content": text} for i in range(count)
    ]
    return {"role": "user", "content": blocks}


def _entered(policy: Policy, names: list[str], text: str) -> list[int]:
    """Characters of each parallel result after it entered."""
    session = Session(policy)
    session.append({"role": "user", "content": "go"})
    session.append(_calls(names))
    session.append(_results(len(names), text))
    newest = session.context().messages[-1]["content"]
    return [len(b["content"]) for b in newest if b["type"] == "tool_result"]


LINES = "a line of the text that a tool gave\n" * 5_000


@pytest.mark.parametrize(
    ("preset", "tool", "limit"),
    [
        ("paper", "code_run", 10_000),
        ("paper", "web_execute_js", 8_000),
        ("paper", "web_scan", 10_000),
        ("paper", "file_read", 20_000),
        ("paper", "another", 10_000),
        ("upstream", "code_run", 10_000),
        ("upstream", "web_execute_js", 8_000),
        ("upstream", "web_scan", 10_000),
        ("upstream", "file_read", 15_000),
        ("upstream", "another", 10_000),
    ],
)
@pytest.mark.parametrize("factor", [1, 2, 3, 5])
def test_limits_grow_with_the_window_in_upstream_alone(
    preset: str, tool: str, limit: int, factor: int
) -> None:
    policy = Policy.preset(preset, window_tokens=factor * WINDOW, budget_chars=900_000)
    wanted = limit * min(3, factor) if preset == "upstream" else limit
    (size,) = _entered(policy, [tool], LINES)
    assert 0.95 * wanted - 120 <= size <= wanted


@pytest.mark.parametrize(("preset", "divided"), [("upstream", 4), ("epoch", 4), ("paper", 1)])
def test_parallel_calls_divide_the_limit_but_not_in_paper(preset: str, divided: int) -> None:
    policy = Policy.preset(preset, budget_chars=900_000)
    for size in _entered(policy, ["code_run"] * 4, LINES):
        assert 0.95 * 10_000 / divided - 120 <= size <= 10_000 / divided


def test_however_many_calls_a_marker_remains() -> None:
    sizes = _entered(Policy.preset("upstream", budget_chars=900_000), ["code_run"] * 500, LINES)
    assert set(map(bool, sizes)) == {True}
    assert max(sizes) <= 120


@pytest.mark.parametrize("factor", [1, 3])
def test_upstream_takes_larger_documents_in_a_larger_window(factor: int) -> None:
    policy = Policy.preset("upstream", window_tokens=factor * WINDOW, budget_chars=900_000)
    page = f"<html><body>{'<p>x</p>' * 20_000}</body></html>"
    asked: list[int] = []

    def fold(html: str, budget: int) -> str:
        asked.append(budget)
        return "<html></html>"

    session = Session(policy, fold_html=fold)
    session.append({"role": "user", "content": "go"})
    session.append(_calls(["web_scan"]))
    session.append(_results(1, page))
    assert asked == [35_000 * factor]


@pytest.mark.parametrize(
    ("preset", "factor", "turns"), [("paper", 1, 5), ("upstream", 1, 7), ("upstream", 2, 14)]
)
def test_older_messages_are_compressed_every_few_turns(
    preset: str, factor: int, turns: int
) -> None:
    policy = Policy.preset(preset, window_tokens=factor * WINDOW, budget_chars=900_000)
    session = Session(policy)
    session.append({"role": "user", "content": "go"})
    at = [
        turn
        for turn in range(1, 50)
        for report in _turn(session, turn)
        if any(change.step == "compress" for change in report.changes)
    ]
    # The newest 10 messages are left alone, so the first passes may find nothing.
    assert at
    assert {turn % turns for turn in at} == {0}
    assert at == list(range(at[0], 50, turns))


def _turn(session: Session, turn: int) -> list[Report]:
    call = {"type": "tool_use", "id": f"c{turn}", "name": "code_run", "input": {}}
    result = {"type": "tool_result", "tool_use_id": f"c{turn}", "content": "r" * 2_000}
    return [
        session.append({"role": "assistant", "content": [call]}),
        session.append({"role": "user", "content": [result]}),
    ]


@pytest.mark.parametrize(("preset", "floor"), [("paper", 5), ("upstream", 9)])
def test_eviction_stops_at_the_floor_of_messages(preset: str, floor: int) -> None:
    session = Session(Policy.preset(preset, budget_chars=20_000))
    evicted: list[Report] = []
    for number in range(40):
        role = "user" if number % 2 == 0 else "assistant"
        # So large that the floor is met before the share of the budget.
        report = session.append({"role": role, "content": f"{number:04}" + "w" * 1_900})
        if _evicts(report):
            evicted.append(report)
            assert session.as_json()["messages"] >= floor
    assert evicted


@pytest.mark.parametrize(("preset", "kept"), [("paper", False), ("upstream", True)])
def test_the_task_stays_but_not_in_paper(preset: str, kept: bool) -> None:
    session = Session(Policy.preset(preset, budget_chars=8_000))
    session.append({"role": "user", "content": "THE TASK"})
    for number in range(60):
        session.append({"role": "assistant", "content": f"step {number} " + "s" * 400})
    assert ("THE TASK" in repr(session.context().messages)) is kept


@pytest.mark.parametrize(("preset", "goes"), [("paper", False), ("upstream", True)])
def test_what_compression_brings_under_the_budget_is_evicted_in_upstream_alone(
    preset: str, goes: bool
) -> None:
    """Compressed, 30 turns need 0.8 of the budget: under B, over 0.6 B."""
    session = Session(Policy.preset(preset, budget_chars=40_000))
    session.append({"role": "user", "content": "go"})
    for turn in range(1, 200):
        batch = next((r for r in _turn(session, turn) if _evicts(r)), None)
        if batch is not None:
            break
    assert batch is not None
    assert batch.cost_chars < 0.6 * 40_000
    assert (turn < 28) is goes


def _evicts(report: Report) -> bool:
    return any(change.step == "evict" for change in report.changes)


def test_the_budget_of_paper_is_three_characters_a_token_and_nothing_is_taken_off() -> None:
    assert Policy.preset("paper").budget("system " * 900) == 90_000
    assert Policy.preset("paper", window_tokens=100_000).budget() == 300_000
