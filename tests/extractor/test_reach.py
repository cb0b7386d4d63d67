"""When a very large page is read only in part, and how far."""

from __future__ import annotations

from typing import Any

import pytest

from extractor.browser.reach import Reach, reach_of
from extractor.request import PageRequest
from extractor.settings import ExtractorSettings


def reach(*, elements: int | None = 7, **wish: Any) -> Reach | None:
    settings = ExtractorSettings(budget_first_elements=elements)
    return reach_of(PageRequest(url="https://pier.test/", **{"unfold": False, **wish}), settings)


@pytest.mark.parametrize(
    "wish",
    [
        {"unfold": True},
        {"format": "outline"},
        {"format": ("html", "links")},
        {"format": ("html", "screenshot")},
        {"format": "metadata"},
        {"include": ("main",)},
        {"exclude": ("nav",)},
        {"expand": True},
        {"scroll": True},
        {"include_hidden": True},
        {"provenance": True},
        {"fold": "head_tail"},
        {"filter": "visible"},
        {"variants": ({"format": "outline"},)},
        {"variants": ({"filter": "raw"},)},
        {"elements": None},
    ],
)
def test_all_is_read_where_all_is_looked_at(wish: dict[str, Any]) -> None:
    assert reach(**wish) is None


def test_the_largest_budget_decides_how_far() -> None:
    def chars(**wish: Any) -> int:
        found = reach(**wish)
        assert found is not None
        return found.chars

    assert chars(budget=1_000) < chars(budget=10_000) == chars(format="text") < chars()
    variants = ({"format": "markdown", "budget": 60_000},)
    assert chars(format="text", variants=variants) == chars(budget=60_000)
    assert chars(budget=1_000) >= 1_000


def test_it_carries_what_the_reader_is_after_and_the_setting() -> None:
    found = reach(query="low water", variants=({"query": "harbour"},))
    assert found is not None
    assert found.elements == 7
    assert {"low", "water", "harbour"} == set(found.query.split())
