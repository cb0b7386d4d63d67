"""Markers go, with the gaps that they leave; what a page says stays."""

from __future__ import annotations

import pytest

from batch.markers import without_markers
from extractor import filter_html

MARK = "[folded f9-c: 2 items, 30 characters, nav: list items: Apples, Boats]"


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("", ""),
        ("a\n\n\n\nb [x]", "a\n\n\n\nb [x]"),
        (f"{MARK}\n\n# Hi\n\n{MARK}\n\ntext\n\n{MARK}", "# Hi\n\ntext"),
        (f"{MARK}\nHi\n{MARK}\ntext", "Hi\ntext"),
        (f"- one {MARK}\n- two", "- one \n- two"),
        ("they [folded five: cards]", "they [folded five: cards]"),
    ],
)
def test_markers_are_taken_out(given: str, expected: str) -> None:
    assert without_markers(given) == expected


@pytest.mark.parametrize("form", ["text", "markdown"])
def test_a_page_that_imitates_a_marker_keeps_its_words(form: str) -> None:
    html = f"<nav><a href=/>Elsewhere on this site</a></nav><main><p>Said so: {MARK}</p></main>"
    content = filter_html(html, format=form, main_only=True).content[form]
    assert "Elsewhere" in content
    left = without_markers(content)
    assert "Elsewhere" not in left
    assert "Boats" in left
