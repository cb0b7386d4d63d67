"""What the replay counts: demand, planted facts, prices, validity. Small cases worked by hand."""

from __future__ import annotations

import json

import pytest

from compactor import validate
from compactor.cost import history_cost, serialise
from compactor.formats import FORMATS, read
from testbed.replay.baselines import DROPPED, Fifo
from testbed.replay.compactors import Setting
from testbed.replay.demand import demands
from testbed.replay.facts import KINDS, plant
from testbed.replay.measure import Judge
from testbed.replay.prices import Sent, Wire, uncompacted
from testbed.replay.recordings import calls_of_the_model
from tests.testbed.agents import agent, in_format

HISTORY = [
    {"role": "user", "content": "Fix parse_header in src/http/head.py please."},
    {
        "role": "assistant",
        "content": [
            {"type": "tool_use", "id": "a", "name": "read", "input": {"path": "src/http/head.py"}}
        ],
    },
    {
        "role": "user",
        "content": [
            {"type": "tool_result", "tool_use_id": "a", "content": "def parse_header(): ..."}
        ],
    },
    {
        "role": "assistant",
        "content": [
            {
                "type": "tool_use",
                "id": "b",
                "name": "edit",
                "input": {
                    "path": "src/http/head.py",
                    "old": "parse_header word",
                    "new": "newName7",
                },
            }
        ],
    },
]


def test_demand_is_what_the_next_call_names_and_the_history_showed() -> None:
    found = list(demands(HISTORY, "anthropic", [1, 3]))
    # "word" and "Fix" are no names; newName7 was never shown.
    assert [(each.place, each.identifier) for each in found] == [
        (1, "src/http/head.py"),
        (3, "src/http/head.py"),
        (3, "parse_header"),
    ]


def test_distance_is_counted_from_the_last_time_it_was_shown() -> None:
    found = list(demands(HISTORY, "anthropic", [1, 3]))
    before = "".join(
        "\n" + json.dumps(m, sort_keys=True, separators=(",", ":")) for m in HISTORY[:3]
    )
    assert found[1].distance == len(before) - before.rindex("src/http/head.py")
    assert found[2].distance == len(
        'parse_header(): ...","tool_use_id":"a","type":"tool_result"}],"role":"user"}'
    )


@pytest.mark.parametrize("format", FORMATS)
def test_each_request_is_where_the_assistant_starts_to_speak(format: str) -> None:
    messages = in_format(agent(3), format)
    places = calls_of_the_model(messages, format)
    assert len(places) == 4
    roles = [message.role for message in read(messages, format)]
    assert all(roles[place] == "assistant" != roles[place - 1] for place in places)


@pytest.mark.parametrize("format", FORMATS)
def test_every_fact_stands_once_where_its_kind_belongs(format: str) -> None:
    messages = in_format(agent(), format)
    planted, facts = plant(messages, format, before=len(messages) - 1)
    text = serialise(planted)
    counts = {kind: sum(fact.kind == kind for fact in facts) for kind in KINDS}
    assert counts == dict.fromkeys(KINDS, 6)
    for fact in facts:
        assert text.count(fact.value) == 1
        assert fact.value not in serialise(messages)
        if fact.kind == "update":
            assert 0 < text.index(fact.stale) < text.index(fact.value)
    first = serialise(planted[0])
    assert all(fact.value in first for fact in facts if fact.kind == "rule")
    # One tenth of a session has some, and so has the last.
    places = sorted(text.index(fact.value) / len(text) for fact in facts)
    assert sum(place > 0.5 for place in places) > 15
    if format != "text":
        assert not [f for f in validate(planted, format) if f.severity == "error"]


def test_middle_and_error_lines_stand_in_the_middle_of_long_results() -> None:
    messages = agent()
    planted, facts = plant(messages, "anthropic", before=len(messages))
    results = [
        m["content"][0]["content"] for m in planted if m["role"] == "user" and m is not planted[0]
    ]
    for kind, low, high in (
        ("head", 0, 0.02),
        ("middle", 0.4, 0.6),
        ("error", 0.3, 0.55),
        ("tail", 0.9, 1),
    ):
        for fact in facts:
            if fact.kind == kind:
                [home] = [text for text in results if fact.value in text]
                assert len(home) > 2_000
                assert low <= home.index(fact.value) / len(home) <= high, kind


def test_planting_is_the_same_for_the_same_seed_only() -> None:
    messages = agent()
    one, two, other = (plant(messages, "anthropic", before=45, seed=seed) for seed in (1, 1, 2))
    assert one == two
    assert one != other
    assert messages == agent()


def test_requests_are_priced_by_what_they_share_with_the_one_before() -> None:
    wire, first = Wire(), {"role": "user", "content": "one"}
    _, sent = wire.send([first])
    assert sent == Sent(33, 0, False)
    assert sent.cost == 33 * 1.25
    text, sent = wire.send([first, {"role": "assistant", "content": "two"}])
    assert (sent.chars, sent.reused, sent.broken) == (len(text), 32, False)
    assert sent.cost == pytest.approx(32 * 0.1 + (len(text) - 32) * 1.25)
    _, sent = wire.send([{"role": "assistant", "content": "two"}])
    assert sent.broken
    assert sent.reused == len('[{"content":"')
    assert [each.reused for each in uncompacted([10, 30, 50])] == [0, 10, 30]


@pytest.mark.parametrize("format", [name for name in FORMATS if name != "text"])
@pytest.mark.parametrize("share", [0.5, 1.0])
def test_fifo_keeps_to_its_budget_and_to_the_rules(format: str, share: float) -> None:
    messages = in_format(agent(), format)
    fifo, judge = Fifo(Setting(format, 9_000), share), Judge.of(messages, format)
    places = calls_of_the_model(messages, format)
    dropped = 0
    for place, message in enumerate(messages):
        if place in places:
            request = fifo.request()
            assert history_cost(request) <= 9_000
            assert not judge.refuses(request)
            assert request[-1] == messages[place - 1]
            dropped += DROPPED in serialise(request[0])
        fifo.append(message)
    assert dropped


def test_what_a_recording_breaks_itself_is_excused_and_nothing_else() -> None:
    blank = {"role": "assistant", "content": [{"type": "text", "text": " "}]}
    judge = Judge.of([{"role": "user", "content": "x"}, blank], "anthropic")
    assert not judge.refuses([{"role": "user", "content": "x"}, blank])
    assert judge.refuses([{"role": "user", "content": ""}, blank])
    assert judge.refuses(
        [{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "q"}]}]
    )
    assert judge.refuses(["no message"])
