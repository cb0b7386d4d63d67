"""How an epoch ends: two ways and their costs; and what a plan says of going on."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from compactor import Policy, Session, validate
from compactor.cost import history_cost
from compactor.epoch import Epoch
from compactor.errors import InvalidRequest
from compactor.prices import Prices
from compactor.rebuild import chosen, compacting_cost, keeping_cost, way
from compactor.trigger import Triggers
from tests.compactor.histories import anthropic_histories, chat_histories

PRICES = Prices(lookup_rate=0.0, minimum_tokens=0)


def test_what_going_on_and_compacting_cost() -> None:
    assert keeping_cost(50_000, 20, PRICES) == 0.1 * 50_000 * 20
    # 1,000 are read and 9,000 written once, then 10,000 are read nineteen times.
    assert compacting_cost((50_000, 10_000), 1_000, 20, PRICES) == pytest.approx(
        100 + 11_250 + 19_000
    )
    dear = replace(PRICES, lookup_rate=0.5, lookup_chars=2_000)
    # 40,000 out of view: two look-ups a request, each reads 10,000 and writes 2,000.
    assert compacting_cost((50_000, 10_000), 1_000, 20, dear) == pytest.approx(
        30_350 + 40 * (1_000 + 2_500)
    )


def test_what_a_request_costs_on_either_way() -> None:
    """150,000 of room, 1,500 a request: from 90,000 there are 40 requests, from 45,000 there are 70."""
    local, full = (
        way("local", 0.6, 150_000, 1_500, PRICES),
        way("full", 0.3, 150_000, 1_500, PRICES),
    )
    assert local.cost == pytest.approx(0.1 * 120_000 + 1.15 * 90_000 / 40)
    assert full.cost == pytest.approx(0.1 * 97_500 + 1.15 * 45_000 / 70)


def test_the_controller_takes_the_cheaper_way() -> None:
    epoch = Epoch(growths=(1_500,) * 8)
    shares = (0.6, 0.3)
    taken = chosen(epoch, 150_000, PRICES, shares=shares, rebuild="auto")
    assert taken.name == "full"
    # Look-ups that bring in much make it dear to have little in view.
    dear = replace(PRICES, lookup_rate=1.0, lookup_chars=100_000)
    assert chosen(epoch, 150_000, dear, shares=shares, rebuild="auto").name == "local"
    assert chosen(epoch, 150_000, PRICES, shares=shares, rebuild="local").name == "local"
    with pytest.raises(InvalidRequest, match="rebuild"):
        Policy(rebuild="both")  # type: ignore[arg-type]


def _filled(**more: Any) -> Session:
    policy = replace(Policy.preset("epoch", budget_chars=30_000), prices=PRICES, **more)
    session = Session(policy)
    session.append({"role": "user", "content": "read all the logs"})
    for number in range(80):
        call = {"type": "tool_use", "id": f"c{number}", "name": "read", "input": {"n": number}}
        text = f"{number:04} " * 120
        result = {"type": "tool_result", "tool_use_id": f"c{number}", "content": text}
        session.append({"role": "assistant", "content": [call]})
        session.append({"role": "user", "content": [result]})
    return session


def test_a_full_rebuild_is_shorter_and_keeps_the_task_and_the_newest_turns() -> None:
    sizes = {}
    for rebuild in ("local", "full"):
        session = _filled(rebuild=rebuild)
        smallest = session.context().stats.cost_chars
        for number in range(200, 240):
            text = f"{number:04} " * 120
            session.append({"role": "assistant", "content": f"So {text}"})
            session.append({"role": "user", "content": f"and {number}"})
            shown = session.context()
            assert shown.messages[0]["content"] == "read all the logs"
            assert f"and {number}" in str(shown.messages[-2:])
            smallest = min(smallest, shown.stats.cost_chars)
        sizes[rebuild] = smallest
    assert sizes["full"] < 0.26 * 30_000 < sizes["local"]


def test_a_plan_says_what_both_choices_cost() -> None:
    session = _filled(horizon_requests=10)
    plan = session.plan(6_000)
    assert plan.horizon_requests == 10
    assert plan.keep_cost == pytest.approx(10 * 0.1 * plan.before_chars, rel=0.1)
    saved = plan.keep_cost - plan.compact_cost
    expected = (
        10 * 0.1 * plan.before_chars
        - 1.25 * (plan.after_chars - plan.prefix_chars)
        - 0.1 * plan.prefix_chars
        - 9 * 0.1 * plan.after_chars
    )
    assert saved == pytest.approx(expected, rel=0.1)


#: Thresholds at which almost every request is a reason to end an epoch.
EAGER = Triggers(from_share=0.0, break_even_factor=1.0, repeated_share=0.0, repeated_from_share=0.0)


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    st.one_of(
        st.tuples(st.just("anthropic"), anthropic_histories),
        st.tuples(st.just("openai-chat"), chat_histories),
    ),
    st.sampled_from(["local", "full", "auto"]),
    st.sampled_from([3_000, 9_000]),
)
def test_whatever_ends_an_epoch_the_guarantees_hold(
    history: tuple[str, list[Any]], rebuild: Any, budget: int
) -> None:
    format, messages = history
    policy = Policy.preset("epoch", budget_chars=budget)
    session = Session(replace(policy, rebuild=rebuild, triggers=EAGER, check_prefix=True))
    for message in messages:
        report = session.append(message, format)
        assert all(change.after <= change.before for change in report.changes)
        for name in ("anthropic", "openai-chat"):
            shown = session.context(name).messages
            assert history_cost(shown) <= budget
            assert [f for f in validate(shown, name) if f.severity == "error"] == []
        context = session.context(format)
        for line in session.certificate(context):
            raw = context.messages[line.at] if line.kept else session.expand(line.original)
            assert raw == messages[line.seq]
