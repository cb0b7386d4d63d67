"""The tools that matter for a goal, and the tokens that a task may take."""

from __future__ import annotations

from typing import Any

import pytest

from compactor import Session
from compactor.allocation import allocate
from compactor.errors import InvalidRequest
from compactor.loadout import loadout


def _tool(name: str, description: str, *parameters: str) -> dict[str, Any]:
    properties = {parameter: {"type": "string"} for parameter in parameters}
    return {"name": name, "description": description, "input_schema": {"properties": properties}}


TOOLS = [
    _tool("read_file", "Read a file of the workspace.", "path"),
    _tool("search_flights", "Find flights between two airports.", "origin", "destination"),
    _tool("bookHotel", "Reserve a room in a hotel.", "city", "nights"),
    _tool("send_email", "Send a message to a person.", "recipient", "subject"),
    _tool("天气", "查询城市的天气预报", "城市"),
    _tool("get_exchange_rate", "Convert money between currencies.", "amount"),
]


@pytest.mark.parametrize(
    ("goal", "expected"),
    [
        ("reserve two nights in some hotel in Lisbon", "bookHotel"),
        ("find me a flight from Oslo to Rome", "search_flights"),
        ("明天里斯本的天气怎么样", "天气"),
        ("which currencies does the shop take, and at what rate?", "get_exchange_rate"),
        ("open the files in src", "read_file"),
    ],
)
def test_the_tool_that_fits_comes_first(goal: str, expected: str) -> None:
    assert loadout(TOOLS, goal, 1).tools == (expected,)


def test_openai_s_form_counts_the_same() -> None:
    wrapped = [
        {"type": "function", "function": {**tool, "parameters": tool["input_schema"]}}
        for tool in TOOLS
    ]
    goal = "reserve a hotel and write an email"
    assert loadout(wrapped, goal, 2).tools == loadout(TOOLS, goal, 2).tools
    assert loadout(TOOLS, goal, 2).tools == ("bookHotel", "send_email")


def test_a_short_list_stays_whole_and_no_more_than_thirty_are_chosen() -> None:
    assert loadout(TOOLS, "anything").tools == tuple(tool["name"] for tool in TOOLS)
    many = [_tool(f"tool_{n}", "Does something.") for n in range(200)]
    made = loadout(many, "do something")
    assert len(made.tools) == 30
    assert made.tools[0] == "tool_0"
    with pytest.raises(InvalidRequest, match="k must"):
        loadout(TOOLS, "", 0)


def test_a_session_chooses_for_its_open_request_and_masks() -> None:
    session = Session(tools=TOOLS)
    session.append({"role": "user", "content": "Reserve a room in Lisbon, two nights."})
    chosen = session.loadout(k=1)
    assert chosen.tools == ("bookHotel",)
    shown = session.context("openai-chat", allowed_tools=chosen.tools)
    assert shown.tools == TOOLS
    assert shown.allowed_tools == ("bookHotel",)


def test_tools_that_were_called_come_before_others_that_say_as_little() -> None:
    assert loadout(TOOLS, "hm", 1, called={"send_email": 3}).tools == ("send_email",)


@pytest.mark.parametrize(
    ("task", "complexity", "tokens"),
    [
        ("What is the capital of France?", "simple", 20_000),
        ("Look up the tide for Lisbon today.", "moderate", 60_000),
        ("Compare all reports of the year and say which is best.", "complex", 120_000),
        ("Read a.md, b.md and then c.csv; tell me what differs.", "complex", 120_000),
        (
            "Migrate the service: first list the modules, then move each, then run the tests. "
            "Keep track of progress in a file so that you can resume.",
            "multi_step",
            180_000,
        ),
        ("1. clone\n2. build\n3. test\n4. tag\n5. publish", "multi_step", 180_000),
        ("", "unknown", 200_000),
    ],
)
def test_budgets_by_rules(task: str, complexity: str, tokens: int) -> None:
    made = allocate(task, window_tokens=200_000)
    assert (made.complexity, made.tokens, made.by) == (complexity, tokens, "rules")
    assert made.reason.startswith(complexity)


def test_the_window_caps_and_the_reason_says_so() -> None:
    made = allocate("1. a\n2. b\n3. c\n4. d\n5. e", window_tokens=32_000)
    assert made.tokens == 32_000
    assert "capped by the window of 32,000" in made.reason


def test_a_model_may_decide_and_is_not_believed_when_it_fails() -> None:
    def broken(_: str) -> str:
        raise TimeoutError

    asked = allocate("Say hello.", window_tokens=200_000, classifier=lambda _: " Complex\n")
    assert (asked.complexity, asked.tokens, asked.by) == ("complex", 120_000, "model")
    for classifier, said in ((broken, "TimeoutError"), (lambda _: "huge", "named no complexity")):
        made = allocate("Say hello.", window_tokens=200_000, classifier=classifier)
        assert (made.complexity, made.by) == ("simple", "rules")
        assert said in made.reason
