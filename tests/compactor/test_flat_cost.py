"""The work of an append, counted in steps of the interpreter, does not grow with what is there."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest

from compactor import Policy, Session

#: How many entries a turn gets before the work is counted again.
MANY = 2_000
SAMPLE = 40


def steps(work: Callable[[], object]) -> int:
    """Bytecode instructions that ``work`` takes."""
    count = 0

    def trace(frame: FrameType, event: str, argument: object) -> Any:
        nonlocal count
        frame.f_trace_opcodes = True
        count += event == "opcode"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


def _chat(number: int) -> tuple[list[Any], list[Any]]:
    calls = [
        {"id": f"t{i}", "type": "function", "function": {"name": "x", "arguments": "{}"}}
        for i in range(number)
    ]
    first = [{"role": "assistant", "content": None, "tool_calls": calls}]
    return first, [
        {"role": "tool", "tool_call_id": f"t{i}", "content": f"r{i}"} for i in range(number)
    ]


def _items(number: int) -> tuple[list[Any], list[Any]]:
    calls = [
        {"type": "function_call", "call_id": f"t{i}", "name": "x", "arguments": "{}"}
        for i in range(number)
    ]
    return calls, [
        {"type": "function_call_output", "call_id": f"t{i}", "output": f"r{i}"}
        for i in range(number)
    ]


WIDE = {"budget_chars": 10_000_000}


@pytest.mark.parametrize(
    ("preset", "room"),
    [("epoch", WIDE), ("epoch", {"window_tokens": 4_000_000}), ("paper", WIDE), ("upstream", WIDE)],
)
@pytest.mark.parametrize(("format", "turn"), [("openai-chat", _chat), ("openai-responses", _items)])
def test_results_of_one_turn_cost_the_same_each(
    preset: str, room: dict[str, int], format: str, turn: Any
) -> None:
    session = Session(Policy.preset(preset, **room))
    session.append({"role": "user", "content": "go"}, format)
    calls, results = turn(MANY + 2 * SAMPLE)
    session.append_many(calls, format)
    first = steps(lambda: [session.append(r, format) for r in results[:SAMPLE]])
    session.append_many(results[SAMPLE:-SAMPLE], format)
    last = steps(lambda: [session.append(r, format) for r in results[-SAMPLE:-1]])
    assert last <= 1.2 * first


def test_items_of_one_turn_cost_the_same_each() -> None:
    session = Session(Policy.preset(budget_chars=10_000_000))
    session.append({"role": "user", "content": "go"}, "openai-responses")
    calls, _ = _items(MANY + 2 * SAMPLE)
    one = lambda some: [session.append(call, "openai-responses") for call in some]  # noqa: E731
    first = steps(lambda: one(calls[:SAMPLE]))
    session.append_many(calls[SAMPLE:-SAMPLE], "openai-responses")
    last = steps(lambda: one(calls[-SAMPLE:]))
    assert last <= 1.2 * first


@pytest.mark.parametrize("preset", ["epoch", "paper", "upstream"])
def test_a_long_session_costs_the_same_at_its_end(preset: str) -> None:
    session = Session(Policy.preset(preset, budget_chars=20_000))
    session.append({"role": "user", "content": "go"})

    def turns(start: int, count: int) -> None:
        for number in range(start, start + count):
            call = {"type": "tool_use", "id": f"c{number}", "name": "x", "input": {}}
            result = {"type": "tool_result", "tool_use_id": f"c{number}", "content": "r" * 400}
            session.append({"role": "assistant", "content": [call]})
            session.append({"role": "user", "content": [result]})

    turns(0, 100)
    first = steps(lambda: turns(1_000, 60))
    turns(2_000, 1_000)
    last = steps(lambda: turns(4_000, 60))
    assert last <= 1.2 * first


@pytest.mark.parametrize("wanted", ["", "a"])
def test_a_call_id_that_comes_again_and_again_costs_the_same(wanted: str) -> None:
    session = Session(Policy.preset(budget_chars=20_000))
    session.append({"role": "user", "content": "go"})

    def turns(count: int) -> None:
        for _ in range(count):
            call = {"type": "tool_use", "id": wanted, "name": "x", "input": {}}
            result = {"type": "tool_result", "tool_use_id": wanted, "content": "r" * 100}
            session.append({"role": "assistant", "content": [call]})
            session.append({"role": "user", "content": [result]})

    turns(100)
    first = steps(lambda: turns(60))
    turns(800)
    last = steps(lambda: turns(60))
    assert last <= 1.2 * first
