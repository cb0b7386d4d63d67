"""The six guarantees of folding, over random pages in every format."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from extractor import Snapshot
from extractor.pipeline import judged
from tests.properties.guarantees import (
    FORMATS,
    assert_bounded_and_well_formed,
    assert_nested,
    assert_nothing_lost,
    at,
)
from tests.properties.pages import snapshots

BUDGETS = (500, 650, 900, 1_500, 3_000, 8_000)
QUERIES = st.sampled_from([None, "clerk ship", "記録", "السفينة"])
EACH = settings(
    max_examples=15,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


@pytest.mark.parametrize("name", FORMATS)
@EACH
@given(snapshots(), st.sampled_from(BUDGETS), QUERIES)
def test_output_is_bounded_and_well_formed(
    name: str, snapshot: Snapshot, budget: int, query: str | None
) -> None:
    assert_bounded_and_well_formed(at(judged(snapshot), budget, name, query=query), budget)


@EACH
@given(snapshots(), st.sampled_from(BUDGETS))
def test_what_is_folded_can_be_put_back_until_nothing_is_missing(
    snapshot: Snapshot, budget: int
) -> None:
    page = judged(snapshot)
    assert_nothing_lost(page, at(page, budget, "html"), (None, 4_000))


@pytest.mark.parametrize("name", FORMATS)
@EACH
@given(snapshots(), QUERIES)
def test_a_smaller_budget_keeps_a_subset(name: str, snapshot: Snapshot, query: str | None) -> None:
    assert_nested(judged(snapshot), name, BUDGETS, query)


@pytest.mark.parametrize("name", FORMATS)
@EACH
@given(snapshots(), st.sampled_from(BUDGETS))
def test_the_same_page_gives_the_same_output(name: str, snapshot: Snapshot, budget: int) -> None:
    first, again = (at(judged(snapshot), budget, name) for _ in range(2))
    assert first.content == again.content
    assert first.folds == again.folds


@pytest.mark.parametrize("name", FORMATS)
@EACH
@given(snapshots())
def test_under_budget_nothing_is_folded(name: str, snapshot: Snapshot) -> None:
    page = judged(snapshot)
    whole = at(page, 0, name)
    assert whole.folds == ()
    length = max(len(whole.content[name]), 500)
    assert at(page, length, name).content == whole.content
