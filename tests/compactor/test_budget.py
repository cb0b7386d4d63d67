"""The budget in characters follows what the messages are made of, and what the provider reports."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from compactor import Policy, Session, SqlStore
from compactor.budget import TokenMeter
from compactor.errors import BudgetError, InvalidRequest
from compactor.estimate import estimate_text
from compactor.gauge import Gauge, reported_tokens
from tests.compactor.histories import anthropic_histories

SAMPLES = {
    row["script"]: row
    for row in json.loads(
        (Path(__file__).parents[2] / "testbed" / "token_samples.json").read_text(encoding="utf-8")
    )
}
WINDOW = 12_000


def _say(session: Session, text: str, usage: Any = None) -> None:
    role = "user" if session.version % 2 == 0 else "assistant"
    session.append({"role": role, "content": text}, usage=usage)


def _tokens(session: Session, family: str) -> float:
    texts = [str(message["content"]) for message in session.context().messages]
    return sum(estimate_text(text, family).best for text in texts)


def _filled(script: str, policy: Policy) -> Session:
    session = Session(policy)
    text = SAMPLES[script]["text"][:1_500]
    for number in range(40):
        _say(session, f"{number}: {text}")
        assert session.context().stats.cost_chars <= session.budget_chars
    return session


@pytest.mark.parametrize("model", ["gpt-4o", "claude-sonnet-4-5", "unknown-model"])
@pytest.mark.parametrize("script", ["chinese", "japanese", "korean", "english", "mixed", "json"])
def test_what_fits_in_characters_fits_the_window_in_tokens(script: str, model: str) -> None:
    policy = Policy(window_tokens=WINDOW, model=model, anchor=False)
    session = _filled(script, policy)
    room = (WINDOW - policy.output_reserve_tokens) * 0.95
    used = TokenMeter(policy, None, None).total(session._state.history)
    assert used.upper <= room
    assert used.best > 0.3 * room


def test_dense_scripts_get_fewer_characters_from_the_same_window() -> None:
    policy = Policy(window_tokens=WINDOW, model="gpt-4", anchor=False)
    chars = {script: _filled(script, policy).budget_chars for script in ("chinese", "english")}
    assert chars["chinese"] * 3 < chars["english"]


def test_change_of_script_ends_the_epoch_before_the_window_is_passed() -> None:
    policy = Policy(window_tokens=WINDOW, model="gpt-4", anchor=False)
    session = _filled("english", policy)
    before = session.budget_chars
    for number in range(20):
        _say(session, f"{number}: " + SAMPLES["chinese"]["text"][:1_500])
    assert session.budget_chars < before / 2
    used = TokenMeter(policy, None, None).total(session._state.history)
    assert used.upper <= (WINDOW - policy.output_reserve_tokens) * 0.95


def test_budget_stands_still_while_its_epoch_lasts() -> None:
    session = Session(Policy(window_tokens=WINDOW))
    first = session.budget_chars
    for number in range(5):
        _say(session, f"short message {number}", usage={"input_tokens": 40 * number})
        assert session.budget_chars == first


@pytest.mark.parametrize(
    ("usage", "tokens"),
    [
        ({"input_tokens": 3, "cache_read_input_tokens": 90, "cache_creation_input_tokens": 7}, 100),
        ({"input_tokens": 3, "cache_read_input_tokens": None}, 3),
        ({"prompt_tokens": 50, "prompt_tokens_details": {"cached_tokens": 40}}, 50),
        ({"input_tokens": 60, "input_tokens_details": {"cached_tokens": 40}}, 60),
        ({"total_tokens": 9}, None),
        ({}, None),
        (None, None),
        ("many", None),
    ],
)
def test_usage_is_read_by_each_providers_own_names(usage: Any, tokens: int | None) -> None:
    assert reported_tokens(usage) == tokens


def test_a_part_that_the_session_was_not_shown_is_taken_off_the_room() -> None:
    gauge = Gauge().noted(1_000, 21_000)
    assert gauge.scale == 1.0
    assert gauge.unseen == 20_000


def test_two_reports_tell_the_rate_from_the_part_not_shown() -> None:
    gauge = Gauge().noted(1_000, 21_200).noted(11_000, 33_200)
    assert gauge.scale == pytest.approx(1.2)
    assert gauge.unseen == pytest.approx(20_000)


@pytest.mark.parametrize("reported", [1, 10**9])
def test_an_absurd_report_is_believed_within_bounds(reported: int) -> None:
    gauge = Gauge().noted(5_000, 5_000).noted(50_000, reported)
    assert 0.5 <= gauge.scale <= 2.0
    policy = Policy(window_tokens=WINDOW)
    assert TokenMeter(policy, None, None).room(gauge) >= 0.19 * WINDOW


def test_a_provider_that_counts_more_gets_less_at_the_next_epoch() -> None:
    def run(factor: float) -> int:
        session = Session(Policy(window_tokens=WINDOW, model="gpt-4o", anchor=False))
        text = SAMPLES["english"]["text"]
        for number in range(200):
            usage = {"prompt_tokens": int(factor * _tokens(session, "o200k")) or 1}
            _say(session, f"{number}: {text}", usage=usage)
        return session.budget_chars

    assert run(1.5) < 0.8 * run(1.0)


def test_alpha_and_paper_take_three_characters_a_token_of_the_whole_window() -> None:
    assert Policy(window_tokens=30_000, estimator="alpha").budget("s" * 9_000) == 90_000
    assert Policy.preset("paper").budget("s" * 9_000) == 90_000
    assert Policy(budget_chars=5_000).budget("s" * 9_000) == 5_000
    session = Session(Policy(window_tokens=4_000, estimator="alpha"))
    for _ in range(30):
        _say(session, SAMPLES["chinese"]["text"][:800], usage={"input_tokens": 90_000})
    assert session.budget_chars == 12_000


def test_fixed_part_reserve_and_margin_are_taken_off_the_window() -> None:
    system = SAMPLES["english"]["text"]
    policy = Policy(window_tokens=30_000, model="gpt-4o")
    fixed = estimate_text(system, "o200k").upper
    tokens = (30_000 - fixed - 4_000) * 0.95
    assert policy.budget(system) == int(tokens * policy.first_chars_per_token)


def test_unknown_estimator_is_refused() -> None:
    with pytest.raises(InvalidRequest, match="estimator"):
        Policy(estimator="guess")  # type: ignore[arg-type]


def test_a_session_that_is_replayed_has_the_same_budget(tmp_path: Path) -> None:
    store = SqlStore(f"sqlite:///{tmp_path / 's.db'}")
    store.create("s", {})
    policy = Policy(window_tokens=WINDOW, model="gpt-4")
    live = Session(policy, store=store, session_id="s")
    for number in range(30):
        script = "chinese" if number > 12 else "english"
        _say(live, SAMPLES[script]["text"][:900], usage={"input_tokens": 900 * (number % 9) + 1})
    again = Session(policy, store=store, session_id="s")
    again.replay(store.entries("s"))
    assert again.budget_chars == live.budget_chars
    assert again.context().messages == live.context().messages
    store.close()


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    anthropic_histories,
    st.sampled_from([6_000, 9_000, 20_000]),
    st.lists(st.integers(0, 30_000), min_size=1, max_size=6),
    st.sampled_from(["", "gpt-4o", "claude"]),
)
def test_cost_is_within_the_budget_whatever_is_reported(
    history: list[Any], window: int, reports: list[int], model: str
) -> None:
    session = Session(replace(Policy(window_tokens=window), model=model))
    for number, message in enumerate(history):
        usage = {"input_tokens": reports[number % len(reports)]}
        before = session.version
        try:
            report = session.append(message, usage=usage)
        except BudgetError:
            # Reports that leave next to nothing of a small window: refused as a whole, by name.
            assert session.version == before
            continue
        assert report.cost_chars <= report.budget_chars == session.budget_chars
        stats = session.context().stats
        assert stats.cost_chars <= stats.budget_chars
