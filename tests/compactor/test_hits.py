"""The hit rate that a provider reports, and why it is low."""

from __future__ import annotations

from typing import Any

import pytest

from compactor import Policy, Session
from compactor.hits import Cached, HitRate, cached_of


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        (
            {"input_tokens": 5, "cache_read_input_tokens": 90, "cache_creation_input_tokens": 10},
            Cached(90, 10),
        ),
        ({"prompt_tokens": 100, "prompt_tokens_details": {"cached_tokens": 64}}, Cached(64, 36)),
        ({"input_tokens": 100, "input_tokens_details": {"cached_tokens": 0}}, Cached(0, 100)),
        ({"input_tokens": 100}, None),
        (None, None),
    ],
)
def test_every_provider_s_report_is_read(usage: Any, expected: Cached | None) -> None:
    assert cached_of(usage) == expected


def test_the_rate_is_what_was_read_of_what_could_be() -> None:
    rate = HitRate()
    for read, created in ((0, 100), (80, 20), (90, 10)):
        rate = rate.noted(
            {"cache_read_input_tokens": read, "cache_creation_input_tokens": created}, "changed"
        )
    assert rate.rate == pytest.approx(170 / 300)
    assert "57%" in rate.warning(0.7)
    assert "prefix changes" in rate.warning(0.7)
    assert not rate.warning(0.5)


def test_a_session_warns_with_its_own_cause() -> None:
    session = Session(Policy.preset("epoch", budget_chars=60_000))
    usage = {"cache_read_input_tokens": 10, "cache_creation_input_tokens": 2_000}
    warnings = []
    for number in range(5):
        session.append({"role": "user", "content": f"question {number} " * 300})
        session.context(idle_s=900)
        report = session.append({"role": "assistant", "content": "answer"}, usage=usage)
        warnings.append(report.warning)
    assert warnings[:2] == ["", ""]
    assert "expires between requests" in warnings[-1]
    assert session.hit_rate.reports == 5
