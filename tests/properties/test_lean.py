"""Less markup takes no text away, and leaves a document that two parsers read the same way."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from extractor.lean import BARE, LEAN, leaner
from extractor.markers import Folded
from extractor.render.html import HtmlCosts, render_html
from extractor.serialise import serialise
from extractor.tree import Tree, parse
from testbed.guarantees import text_of
from tests.properties.oracle import justhtml_tree
from tests.properties.test_fold import SHELL, doc_of
from tests.properties.trees import trees

DEGREES = st.sampled_from([LEAN, BARE])


@settings(max_examples=200, deadline=None)
@given(trees(), DEGREES, DEGREES, st.integers(0, 60))
def test_leaner_documents_hold_the_same_text_and_parse_the_same(
    tree: Tree, main: int, rest: int, border: int
) -> None:
    doc = doc_of(tree)
    lean = leaner(doc, [main if node < border else rest for node in range(len(doc.tree))])
    scope, everything = range(doc.units), Folded([True] * doc.units, [])
    full, html = (render_html(each, everything, SHELL, scope) for each in (doc, lean))
    assert text_of(html) == text_of(full)
    assert len(html) <= len(full)
    assert len(html) <= HtmlCosts(lean, SHELL, scope).total()
    again, other = parse(html), justhtml_tree(html)
    assert serialise(again) == html
    assert (other.tag, other.end, other.text) == (again.tag, again.end, again.text)
