"""What the caller selects: exclude wins, no match is said, and no selector is an error."""

from __future__ import annotations

import pytest

from extractor import filter_html, filter_snapshot
from extractor.errors import InvalidSelector

SNAPSHOT = filter_html(
    "<main><h1>Tides</h1><p>Kept words.</p><div class=note>Left-out words.</div></main><p>Outside words.</p>"
).snapshot


def test_exclude_wins_over_include() -> None:
    page = filter_snapshot(SNAPSHOT, format="text", include=("main",), exclude=(".note",))
    lines = [line for line in page.content["text"].splitlines() if not line.startswith("[folded")]
    assert [line for line in lines if line] == ["Tides", "Kept words."]
    assert {fold.rule for fold in page.folds} == {"excluded", "not_included"}


def test_no_match_is_said_and_takes_nothing_out() -> None:
    page = filter_snapshot(SNAPSHOT, format="text", exclude=(".absent",))
    assert [notice.code for notice in page.warnings] == ["no_match"]
    assert "Left-out words." in page.content["text"]


def test_what_is_no_selector_is_named() -> None:
    with pytest.raises(InvalidSelector) as caught:
        filter_snapshot(SNAPSHOT, exclude=("div >",))
    assert (caught.value.code, caught.value.field) == ("invalid_selector", "exclude")
