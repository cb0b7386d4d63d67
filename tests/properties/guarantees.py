"""The guarantees of a folded page, each as a check that says what is wrong. Independent of how fold works."""

from __future__ import annotations

from collections.abc import Sequence

from extractor import Page
from extractor.pipeline import Judged, Options, filter_judged
from extractor.refs import resolve
from extractor.unfold import unfold_judged
from testbed.guarantees import (
    agrees_with_second_parser,
    is_fixpoint,
    put_back,
    sums_are_exact,
    text_of,
    visible_text_of,
)

FORMATS = ("html", "markdown", "text")


def at(page: Judged, budget: int, format: str, *, query: str | None = None) -> Page:
    """One format at one budget (0: none)."""
    return filter_judged(page, Options((format,), budget, query, main_only=False))


def kept(page: Judged, result: Page) -> set[int]:
    """The units that no fold of the result holds."""
    away: set[int] = set()
    for fold in result.folds:
        units = page.doc.units_of(*resolve(page.doc, fold.ref))
        assert not away & set(units), "two folds hold the same unit"
        away |= set(units)
        assert fold.items == len(units)
        assert fold.chars == sum(page.doc.unit_chars[unit] for unit in units)
    return set(range(page.doc.units)) - away


def assert_bounded_and_well_formed(result: Page, budget: int) -> None:
    """Guarantees 1 and 2."""
    for name, content in result.content.items():
        assert len(content) <= budget, f"{name} has {len(content)} of {budget}"
        if name == "html":
            assert is_fixpoint(content)
            assert agrees_with_second_parser(content)
            assert "<noscript" not in content
            assert "<template" not in content


def assert_nothing_lost(page: Judged, result: Page, steps: Sequence[int | None]) -> None:
    """Guarantee 3: what was folded, put back part by part, is all that can be seen, in order."""
    assert sums_are_exact(result)
    everything = visible_text_of(page.snapshot.html)
    for step in steps:
        whole = put_back(
            result.content["html"], lambda ref, step=step: unfold_judged(page, ref, step, "html")
        )
        assert text_of(whole) == everything


def assert_nested(page: Judged, format: str, budgets: Sequence[int], query: str | None) -> None:
    """Guarantee 4: a smaller budget keeps a subset."""
    before: set[int] = set()
    for budget in sorted(budgets):
        now = kept(page, at(page, budget, format, query=query))
        assert before <= now, (
            f"{format}: {len(before - now)} units of a smaller budget are gone at {budget}"
        )
        before = now
