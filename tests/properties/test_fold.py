"""The guarantees of folding, over random documents and budgets."""

from __future__ import annotations

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from extractor.fold import fold
from extractor.markers import Folded, Frame
from extractor.nesting import normalise
from extractor.order import order
from extractor.refs import resolve
from extractor.render.html import HtmlCosts, Shell, render_html
from extractor.serialise import serialise
from extractor.tree import TEXT, Tree, parse
from extractor.units import Doc, build
from extractor.visibility import judge
from tests.properties.oracle import justhtml_tree
from tests.properties.trees import trees

SHELL = Shell("0" * 32, "A title & more", "en", "")


def doc_of(tree: Tree) -> Doc:
    normal = parse(serialise(normalise(tree)))
    verdicts = judge(normal)
    return build(normal, verdicts.state, [0] * len(normal), {}, "")


def frame_of(doc: Doc, split: int = 7) -> Frame:
    parts = [unit // split for unit in range(doc.units)]
    return Frame(range(doc.units), [""] * doc.units, ["main"] * doc.units, parts)


def folded_at(doc: Doc, budget: int | None) -> tuple[Folded, str]:
    frame = frame_of(doc)
    ranked = order(doc, [True] * len(doc.tree))
    folded = fold(doc, ranked, HtmlCosts(doc, SHELL, frame.scope), frame, budget)
    return folded, render_html(doc, folded, SHELL, frame.scope)


def squeezed(text: str) -> str:
    return re.sub(r"\s+", "", text)


def big(tree: Tree, repeat: int = 12) -> Tree:
    """The same body over and over, so that budgets bite."""
    out = Tree(["html", "head", "body"], [-1, 0, 0], [0, 2, 0], [None] * 3, [""] * 3)
    for _ in range(repeat):
        shift = len(out) - 3
        out.tag += tree.tag[3:]
        out.parent += [p if p == 2 else p + shift for p in tree.parent[3:]]
        out.end += [e + shift for e in tree.end[3:]]
        out.attrs += tree.attrs[3:]
        out.text += [t * 6 if t.strip() else t for t in tree.text[3:]]
    out.end[0] = out.end[2] = len(out)
    return out


BUDGETS = st.sampled_from([500, 600, 800, 1_200, 2_000, 5_000, 20_000])


@settings(max_examples=250, deadline=None)
@given(trees(), BUDGETS)
def test_output_is_within_budget_and_a_fixpoint_of_two_parsers(tree: Tree, budget: int) -> None:
    doc = doc_of(big(tree))
    _, html = folded_at(doc, budget)
    assert len(html) <= budget
    again = parse(html)
    assert serialise(again) == html
    other = justhtml_tree(html)
    assert (other.tag, other.end, other.text) == (again.tag, again.end, again.text)


@settings(max_examples=150, deadline=None)
@given(trees(), BUDGETS)
def test_kept_and_unfolded_text_is_all_visible_text_in_order(tree: Tree, budget: int) -> None:
    doc = doc_of(big(tree))
    folded, _ = folded_at(doc, budget)
    pieces: dict[int, str] = {}
    for unit in range(doc.units):
        if folded.keep[unit]:
            pieces[unit] = doc.text_of(unit)
    for marker in folded.markers:
        first, last = resolve(doc, marker.ref)
        assert (first, last) == (doc.unit_start[marker.first], doc.unit_start[marker.last + 1] - 1)
        assert marker.chars == sum(doc.unit_chars[marker.first : marker.last + 1])
        for unit in range(marker.first, marker.last + 1):
            assert unit not in pieces
            pieces[unit] = doc.text_of(unit)
    assert sorted(pieces) == list(range(doc.units))
    kept = sum(doc.unit_chars[unit] for unit in range(doc.units) if folded.keep[unit])
    assert kept + sum(marker.chars for marker in folded.markers) == sum(doc.unit_chars)


@settings(max_examples=150, deadline=None)
@given(trees())
def test_a_smaller_budget_keeps_a_subset(tree: Tree) -> None:
    doc = doc_of(big(tree))
    before: set[int] = set()
    for budget in (500, 700, 1_000, 2_000, 4_000, 8_000, 100_000):
        folded, _ = folded_at(doc, budget)
        kept = {unit for unit in range(doc.units) if folded.keep[unit]}
        assert before <= kept
        before = kept


@settings(max_examples=150, deadline=None)
@given(trees())
def test_without_a_budget_all_visible_text_is_there(tree: Tree) -> None:
    doc = doc_of(tree)
    folded, html = folded_at(doc, None)
    assert not folded.markers
    body = justhtml_tree(html)
    written = "".join(
        body.text[node]
        for node in range(len(body))
        if body.tag[node] == TEXT and body.tag[body.parent[node]] != "title"
    )
    visible = "".join(
        doc.tree.text[node]
        for node in range(len(doc.tree))
        if doc.tree.tag[node] == TEXT and doc.tree.tag[doc.tree.parent[node]] != "title"
    )
    assert squeezed(written) == squeezed(visible)


@settings(max_examples=100, deadline=None)
@given(trees())
def test_the_cost_of_the_whole_is_its_length(tree: Tree) -> None:
    doc = doc_of(tree)
    _, html = folded_at(doc, None)
    guards = 8 * sum(tag == "pre" for tag in doc.tree.tag)
    cost = HtmlCosts(doc, SHELL, range(doc.units)).total()
    assert len(html) <= cost <= len(html) + guards
