"""What `collapsed=drop` leaves out, and what it keeps."""

from __future__ import annotations

import pytest

from extractor.tree import parse
from extractor.visibility import COLLAPSED, HIDDEN, judge


def _state(kind: str) -> tuple[int, str]:
    tree = parse(f'<main><p>shown</p><div data-pf-c="{kind}">WORDS</div></main>')
    verdicts = judge(tree, collapsed="drop")
    node = tree.text.index("WORDS")
    return verdicts.state[node], verdicts.reason[node]


@pytest.mark.parametrize("kind", ["details", "tab", "accordion", "menu", "reveal"])
def test_closed_parts_are_left_out(kind: str) -> None:
    assert _state(kind) == (HIDDEN, "collapsed")


@pytest.mark.parametrize("kind", ["slide", "more"])
def test_the_rest_of_what_is_in_view_stays_and_says_so(kind: str) -> None:
    """Other slides of a strip, the rest of a text that was cut."""
    assert _state(kind) == (COLLAPSED, "collapsed")
