"""Every guarantee under every strategy, for every format and every provider's rules."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from compactor import Policy, Session, compact, uncompact, validate
from compactor.cost import history_cost, serialise
from compactor.estimate import estimate_tokens
from compactor.policy import PRESETS
from compactor.rates import family_of
from compactor.strategies import NAMES, StrategyRule
from compactor.summarise import SummaryRequest
from compactor.validate import PROFILES
from tests.compactor.histories import EAGER, GENERATED, worked
from tests.compactor.test_flat_cost import steps
from tests.compactor.watch import Watch

Json = Any
FEW = settings(max_examples=2, deadline=None, suppress_health_check=list(HealthCheck))
#: Whose rules a context keeps → the format that it is in.
WIRES = {**{profile: rules[0] for profile, rules in PROFILES.items()}, "text": "text"}
HISTORY = {
    format: st.one_of(worked(format), made, worked(format)) for format, made in GENERATED.items()
}
EVERY = pytest.mark.parametrize(("name", "wire"), [(n, wire) for n in NAMES for wire in WIRES])


def _policy(name: str, wire: str, preset: str = "epoch", budget: int = 3_000) -> Policy:
    return replace(
        Policy.preset(preset, budget_chars=budget),
        strategy=StrategyRule.of(name, **EAGER),
        profile="" if wire in GENERATED else wire,
    )


def _kept(session: Session, wire: str) -> list[Json]:
    """The context, which fits and is valid."""
    made = session.context(WIRES[wire]).messages
    assert history_cost(made) <= session.budget_chars
    if wire in PROFILES:
        assert [f for f in validate(made, wire) if f.severity == "error"] == []
    return made


@EVERY
@FEW
@given(st.data(), st.sampled_from(PRESETS), st.sampled_from([3_000, 12_000]))
def test_it_fits_is_valid_grows_at_its_end_and_loses_nothing(
    name: str, wire: str, data: st.DataObject, preset: str, budget: int
) -> None:
    format = WIRES[wire]
    messages = data.draw(HISTORY[format])
    policy = _policy(name, wire, preset, budget)
    session, twin = Session(policy), Session(policy)
    session.context(format)
    watch = Watch(session, (format,) if preset == "epoch" else (), joins=wire != format)
    for message in messages:
        report = watch.append(message, format)
        assert all(change.after <= change.before for change in report.changes)
        _kept(session, wire)
    context = session.context(format)
    twin.append_many(messages, format)
    assert serialise(twin.context(format).messages) == serialise(context.messages)
    sent = json.loads(json.dumps(context.messages))
    back = uncompact(sent, session.certificate(context), session.archive)
    assert json.dumps(back) == json.dumps(messages)
    for ref in session.refs(json.dumps(context.messages)):
        session.expand(ref)


@pytest.mark.parametrize("format", GENERATED)
@pytest.mark.parametrize("name", NAMES)
@FEW
@given(st.data(), st.sampled_from(PRESETS))
def test_a_second_pass_changes_nothing(
    name: str, format: str, data: st.DataObject, preset: str
) -> None:
    messages = data.draw(worked(format))
    policy = _policy(name, format, preset)
    once = compact(messages, format, policy=policy)
    again = compact(once.messages, format, policy=policy, archive=once.archive)
    assert json.dumps(again.messages) == json.dumps(once.messages)
    assert again.report.changes == ()


def _fails(request: SummaryRequest) -> str:
    raise TimeoutError


#: Their summaries grow for longer until they are full; a longer session of theirs is counted elsewhere.
_SEEN_LONGER = ("rolling", "focused", "conditional")
#: The most that one run of a strategy asks for.
_SECTIONS = 4
#: Summarisers that do no good: none of their words may enter a context.
USELESS: dict[str, Callable[[SummaryRequest], str]] = {
    "empty": lambda request: "",
    "growing": lambda request: "WORTHLESS " + request.text * 3,
    "failing": _fails,
}


@pytest.mark.parametrize("name", NAMES)
@settings(parent=FEW, max_examples=4)
@given(st.data(), st.sampled_from(sorted(WIRES)), st.sampled_from(sorted(USELESS)))
def test_a_useless_summary_is_refused_and_not_asked_for_again_and_again(
    name: str, data: st.DataObject, wire: str, kind: str
) -> None:
    asked: list[SummaryRequest] = []

    def summarise(request: SummaryRequest) -> str:
        asked.append(request)
        return USELESS[kind](request)

    format = WIRES[wire]
    messages = data.draw(worked(format))
    session = Session(_policy(name, wire), summariser=summarise)
    for message in messages:
        session.append(message, format)
        assert "WORTHLESS" not in json.dumps(_kept(session, wire))
    assert len(asked) <= _SECTIONS * len(messages)


@pytest.mark.parametrize("name", NAMES)
@settings(parent=FEW, max_examples=4)
@given(st.data(), st.sampled_from(sorted(WIRES)), st.sampled_from(["", "claude", "gpt-4o"]))
def test_what_fits_in_characters_fits_the_window_in_tokens(
    name: str, data: st.DataObject, wire: str, model: str
) -> None:
    format = WIRES[wire]
    policy = replace(_policy(name, wire), budget_chars=None, window_tokens=3_000, model=model,
                     output_reserve_tokens=200)  # fmt: skip
    session = Session(policy)
    for message in data.draw(worked(format)):
        session.append(message, format)
        assert estimate_tokens(_kept(session, wire), family_of(model)) <= 3_000 - 200


@pytest.mark.parametrize("name", NAMES)
def test_whatever_arrives_fits(name: str) -> None:
    session = Session(_policy(name, "openai-chat", budget=20_000))
    huge = "cell_9a holds 37 items\n" * 10_000
    for n in range(2):
        call = {"id": f"c{n}", "type": "function", "function": {"name": "t", "arguments": "{}"}}
        session.append({"role": "assistant", "content": None, "tool_calls": [call]}, "openai-chat")
        result = {"role": "tool", "tool_call_id": f"c{n}", "content": huge}
        session.append(result, "openai-chat")
        _kept(session, "openai-chat")


@pytest.mark.parametrize("name", [name for name in NAMES if name not in _SEEN_LONGER])
def test_an_append_costs_the_same_at_the_end_of_a_long_session(name: str) -> None:
    session = Session(_policy(name, "anthropic"))

    def turns(start: int, count: int) -> None:
        for n in range(start, start + count):
            call = {"type": "tool_use", "id": f"c{n}", "name": "query", "input": {"q": n}}
            text = f"The queue of cell_{n}a holds {n * 37} items. " * 6
            result = {"type": "tool_result", "tool_use_id": f"c{n}", "content": text}
            session.append({"role": "assistant", "content": [call]})
            session.append({"role": "user", "content": [result]})

    turns(0, 8)
    first = steps(lambda: turns(20, 6))
    turns(40, 60)
    assert steps(lambda: turns(200, 6)) < 2 * first
