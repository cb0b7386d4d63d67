"""The cost model: what a request reuses, what it writes, what that costs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from compactor import Policy, Session
from compactor.charge import Sent, charge
from compactor.cost import serialise
from compactor.errors import InvalidRequest
from compactor.prices import PRICES, Prices, prefix_cost, prices_named

#: No rounding to the cache's steps, so that expected numbers are plain sums.
PLAIN = Prices(minimum_tokens=0)


def test_a_prefix_of_ten_thousand_tokens_for_a_month() -> None:
    """300 million tokens at 3 for a million are 900; at 92 % hits 0.92 · 0.1 + 0.08 · 1.25 of that."""
    assert prefix_cost(PRICES["uncached"], 10_000, 30_000, 0.92) == pytest.approx(900)
    assert prefix_cost(PRICES["anthropic"], 10_000, 30_000, 0.92) == pytest.approx(172.8)


@pytest.mark.parametrize(
    ("tokens", "cached"), [(1_023, 0), (1_024, 1_024), (1_151, 1_024), (1_152, 1_152)]
)
def test_openai_caches_from_1024_tokens_in_steps_of_128(tokens: int, cached: int) -> None:
    assert prices_named("openai").cached_tokens(tokens) == cached


def test_an_unknown_preset_is_refused() -> None:
    with pytest.raises(InvalidRequest, match="openai-gpt-5"):
        prices_named("free")
    with pytest.raises(InvalidRequest, match="read"):
        Prices(read=-1)


def _sent(text: str, version: int = 1, **more: Any) -> Sent:
    return Sent(version, text, len(text), tokens_per_char=1.0, **more)


def test_what_is_shared_is_read_and_the_rest_written() -> None:
    spent = charge(_sent("a" * 100), _sent("a" * 100 + "b" * 40, 2), PLAIN)
    assert (spent.reused_chars, spent.written_chars, spent.miss) == (100, 40, "")
    assert spent.cost == 0.1 * 100 + 1.25 * 40


def test_a_note_behind_the_newest_entry_is_plain_input() -> None:
    now = Sent(2, "a" * 140 + "note", 140, tokens_per_char=1.0)
    assert charge(_sent("a" * 100), now, PLAIN).cost == 0.1 * 100 + 1.25 * 40 + 4


@pytest.mark.parametrize(
    ("before", "now", "idle_s", "miss"),
    [
        (None, _sent("a" * 100), 0.0, "first"),
        (_sent("a" * 90), _sent("a" * 100, 2), 301.0, "idle"),
        (_sent("a" * 90, model="one"), _sent("a" * 100, 2, model="two"), 0.0, "model"),
        (_sent("b" * 90), _sent("a" * 100, 2), 0.0, "changed"),
    ],
)
def test_a_full_miss_writes_all_and_says_why(
    before: Sent | None, now: Sent, idle_s: float, miss: str
) -> None:
    spent = charge(before, now, PLAIN, idle_s=idle_s)
    assert (spent.reused_chars, spent.written_chars, spent.miss) == (0, 100, miss)
    assert spent.cost == 125


def test_what_is_too_short_to_be_cached_is_plain_input() -> None:
    spent = charge(_sent("a" * 100), _sent("a" * 110, 2), Prices(minimum_tokens=1_024))
    assert (spent.reused_chars, spent.cost, spent.miss) == (0, 110, "short")


def _session(**more: Any) -> Session:
    policy = replace(Policy.preset("epoch", budget_chars=60_000), prices=PLAIN, **more)
    return Session(policy, system="Find causes.", session_id="s1")


def _turn(number: int) -> list[dict[str, Any]]:
    call = {"type": "tool_use", "id": f"c{number}", "name": "read", "input": {"n": number}}
    result = {"type": "tool_result", "tool_use_id": f"c{number}", "content": f"{number:04}" * 200}
    return [
        {"role": "assistant", "content": [call]},
        {"role": "user", "content": [result]},
    ]


def test_each_context_reports_what_it_reuses_of_the_one_before() -> None:
    session = _session()
    session.append({"role": "user", "content": "Why?"})
    first = session.context()
    assert (first.stats.miss, first.stats.reused_chars) == ("first", 0)
    session.append_many(_turn(1))
    second = session.context()
    fixed = len(serialise([None, "Find causes.", first.messages])) - len("]]")
    assert (second.stats.miss, second.stats.reused_chars) == ("", fixed)
    assert session.context().stats == second.stats, "asking twice changes nothing"
    assert session.context(idle_s=3_600).stats.miss == "idle"
    session.append_many(_turn(2))
    assert session.context(model="another").stats.miss == "model"


def test_a_compaction_is_a_change_of_the_prefix() -> None:
    session = _session()
    session.append({"role": "user", "content": "Why?"})
    epochs, misses = [], []
    for number in range(120):
        session.append_many(_turn(number))
        stats = session.context().stats
        epochs.append(stats.epoch)
        misses.append(stats.miss)
    began = [i for i in range(1, 120) if epochs[i] > epochs[i - 1]]
    assert began
    assert [i for i in range(1, 120) if misses[i] == "changed"] == began


def test_the_cache_key_and_the_hash_hold_for_an_epoch() -> None:
    one, two = _session(), _session()
    for session in (one, two):
        session.append({"role": "user", "content": "Why?"})
    shown = one.context()
    assert shown.prompt_cache_key == two.context().prompt_cache_key != ""
    assert shown.prefix_hash == two.context().prefix_hash
    one.append_many(_turn(1))
    later = one.context()
    assert later.prompt_cache_key == shown.prompt_cache_key
    assert later.prefix_hash != shown.prefix_hash
    assert Session(system="Another.").context().prompt_cache_key != shown.prompt_cache_key


def test_what_a_request_cannot_say_is_named() -> None:
    session = Session(tools=[{"name": "read"}, {"name": "write"}])
    session.append({"role": "user", "content": "Why?"})
    assert session.context("anthropic").not_carried == ()
    (said,) = session.context("openai-chat", allowed_tools=["read"]).not_carried
    assert "breakpoints" in said
    masked = session.context("anthropic", allowed_tools=["read"])
    assert any("allowed_tools" in line for line in masked.not_carried)
    assert masked.tools_sentence == "In this turn call only these tools: read."
    other = Session(replace(Policy(), prices=replace(Prices(), name="gateway", breakpoints=0)))
    other.append({"role": "user", "content": "Why?"})
    shown = other.context("anthropic")
    assert "gateway takes 0" in shown.not_carried[0]
    assert shown.breakpoints == ()


@pytest.mark.parametrize("most", [1, 2, 4])
def test_a_context_has_no_more_breakpoints_than_the_endpoint_takes(most: int) -> None:
    prices = replace(Prices(), breakpoints=most)
    session = Session(replace(Policy(), prices=prices), system="Find causes.")
    for number in range(5):
        session.append({"role": "user", "content": f"question {number}"})
        session.append({"role": "assistant", "content": f"answer {number}"})
    places = session.context("anthropic").breakpoints
    assert len(places) == most
    assert (places[-1].part, places[-1].message) == ("messages", 9)
