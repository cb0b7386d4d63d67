"""When a server is asked again."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from batch.refusals import HttpStatus, retry_after_s

NOW = datetime(2026, 3, 1, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("120", 120.0),
        (" 0 ", 0.0),
        ("Sun, 01 Mar 2026 12:00:30 GMT", 30.0),
        ("Sun, 01 Mar 2026 11:00:00 GMT", 0.0),
        ("", 0.0),
        ("soon", 0.0),
        ("-5", 0.0),
        ("١٢", 0.0),
    ],
)
def test_both_forms_of_retry_after_are_read(value: str, seconds: float) -> None:
    assert retry_after_s(value, NOW) == seconds


def test_only_some_answers_are_worth_another_try() -> None:
    again = [status for status in range(300, 600) if HttpStatus(status).retryable]
    assert again == [408, 425, 429, 500, 502, 503, 504]
