"""Whatever the composed tree is, its normal form survives writing and parsing."""

from __future__ import annotations

import re

from hypothesis import given, settings

from extractor.nesting import RULES, normalise
from extractor.serialise import serialise
from extractor.tree import TEXT, Tree, parse
from tests.properties.oracle import justhtml_tree
from tests.properties.trees import trees


def shape(tree: Tree) -> list[tuple[str, int, str]]:
    return list(zip(tree.tag, tree.end, tree.text, strict=True))


def words(tree: Tree) -> str:
    """Text that may not be lost, without white space; what is never shown is left out."""
    out = []
    node = 0
    while node < len(tree):
        if tree.tag[node] in RULES.drop or tree.tag[node] in {"iframe", "frame"}:
            node = tree.end[node]
            continue
        if tree.tag[node] == TEXT:
            out.append(tree.text[node])
        node += 1
    return re.sub(r"\s+", "", "".join(out))


@settings(max_examples=400, deadline=None)
@given(trees())
def test_normal_form_is_a_fixpoint_of_lexbor(tree: Tree) -> None:
    normal = normalise(tree)
    again = parse(serialise(normal))
    assert shape(again) == shape(normal)
    assert again.attrs == normal.attrs


@settings(max_examples=200, deadline=None)
@given(trees())
def test_an_independent_parser_builds_the_same_tree(tree: Tree) -> None:
    normal = normalise(tree)
    assert shape(justhtml_tree(serialise(normal))) == shape(normal)


@settings(max_examples=200, deadline=None)
@given(trees())
def test_normalising_twice_changes_nothing(tree: Tree) -> None:
    once = normalise(tree)
    assert serialise(normalise(once)) == serialise(once)


@settings(max_examples=200, deadline=None)
@given(trees())
def test_no_text_is_lost_or_moved(tree: Tree) -> None:
    assert words(normalise(tree)) == words(tree)
