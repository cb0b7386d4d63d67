"""The guarantees, over generated and recorded histories."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from compactor import Policy, Session, compact, uncompact, validate
from compactor.cost import cost, history_cost
from compactor.formats import FORMATS, read, write
from compactor.policy import PRESETS
from compactor.validate import PROFILES
from tests.compactor.histories import HISTORIES, recorded

FEW = settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))


def _check(session: Session) -> None:
    for format in FORMATS:
        context = session.context(format)
        size = len(
            json.dumps(context.messages, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        )
        assert size <= session.budget_chars or history_cost(context.messages) < size
        assert history_cost(context.messages) <= session.budget_chars
        if format in PROFILES:
            found = validate(context.messages, format)
            assert [finding for finding in found if finding.severity == "error"] == []


@FEW
@given(HISTORIES, st.sampled_from(PRESETS), st.sampled_from([3_000, 9_000, 40_000]))
def test_context_fits_and_is_valid_after_every_append(
    history: tuple[str, list[Any]], preset: str, budget: int
) -> None:
    format, messages = history
    session = Session(Policy.preset(preset, budget_chars=budget))
    for message in messages:
        session.append(message, format)
        _check(session)


@FEW
@given(HISTORIES, st.sampled_from([3_000, 9_000]))
def test_uncompact_gives_the_history_back(history: tuple[str, list[Any]], budget: int) -> None:
    format, messages = history
    made = compact(messages, format, policy=Policy.preset(budget_chars=budget))
    sent = json.loads(json.dumps(made.messages))
    assert _exact(uncompact(sent, made.certificate, made.archive)) == _exact(messages)


def _exact(value: Any) -> str:
    """JSON with its key order, so that equal text means equal values of equal types."""
    return json.dumps(value)


@FEW
@given(HISTORIES)
def test_every_ref_in_the_certificate_expands(history: tuple[str, list[Any]]) -> None:
    format, messages = history
    session = Session(Policy.preset(budget_chars=3_000))
    for message in messages:
        session.append(message, format)
    for line in session.certificate(session.context(format)):
        assert line.kept or session.expand(line.original) == messages[line.seq]
        for ref in line.refs:
            session.expand(ref)


@FEW
@given(HISTORIES, st.sampled_from(sorted(PROFILES)), st.sampled_from([3_000, 9_000]))
def test_a_profile_gets_what_it_takes(
    history: tuple[str, list[Any]], profile: str, budget: int
) -> None:
    format, messages = history
    session = Session(replace(Policy.preset(budget_chars=budget), profile=profile))
    for message in messages:
        session.append(message, format)
        made = session.context(PROFILES[profile][0]).messages
        assert [f for f in validate(made, profile) if f.severity == "error"] == []
        assert history_cost(made) <= budget


@FEW
@given(HISTORIES)
def test_a_second_pass_changes_nothing(history: tuple[str, list[Any]]) -> None:
    format, messages = history
    policy = Policy.preset(budget_chars=3_000)
    once = compact(messages, format, policy=policy).messages
    again = compact(once, format, policy=policy)
    assert again.messages == once
    assert again.report.changes == ()


@FEW
@given(HISTORIES)
def test_same_input_gives_the_same_bytes(history: tuple[str, list[Any]]) -> None:
    format, messages = history
    policy = Policy.preset(budget_chars=3_000)
    one, two = (compact(messages, format, policy=policy) for _ in range(2))
    assert json.dumps(one.messages) == json.dumps(two.messages)
    assert one.report == two.report


@FEW
@given(HISTORIES)
def test_no_shortened_block_grows(history: tuple[str, list[Any]]) -> None:
    format, messages = history
    session = Session(Policy.preset(budget_chars=3_000))
    for message in messages:
        for change in session.append(message, format).changes:
            assert change.after <= change.before


@FEW
@given(HISTORIES)
def test_write_gives_back_what_was_read(history: tuple[str, list[Any]]) -> None:
    format, messages = history
    assert write(read(messages, format), format)[0] == messages


@pytest.mark.parametrize("budget", [8_000, 30_000])
def test_recorded_histories_fit_and_stay_valid(budget: int) -> None:
    for name, format, messages in recorded():
        assert write(read(messages, format), format)[0] == messages, name
        session = Session(Policy.preset(budget_chars=budget))
        for message in messages:
            session.append(message, format)
        _check(session)
        assert len(session.certificate(session.context(format))) == len(messages)


def test_fifty_megabytes_fit() -> None:
    session = Session(Policy.preset(budget_chars=20_000))
    huge = "0123456789abcdef\n" * (50_000_000 // 17)
    report = session.append({"role": "user", "content": huge})
    _check(session)
    assert cost(session.context().messages) <= 20_000
    assert session.expand(report.changes[-1].ref) == huge
