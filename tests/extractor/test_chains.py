"""Chains of selectors: the nodes that their definition names, in time that grows with the page alone."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser, LexborNode

from extractor import filter_html
from extractor.errors import InvalidSelector
from extractor.selectors import selected
from extractor.styles.chains import Chains, links_of
from extractor.tree import TEXT, parse

PARTS = ["i", "b", ".x", "b.y", "*", ":not(.x)", "[title='a b']", ":is(i, .y)", ":nth-child(2)"]
ELEMENT = st.deferred(
    lambda: st.builds(
        "<{0} class='{1}' title='a b'>{2}</{0}>".format,
        st.sampled_from(["i", "b", "u"]),
        st.sampled_from(["", "x", "y", "x y"]),
        st.lists(st.one_of(st.just("t"), ELEMENT), max_size=4).map("".join),
    )
)
SELECTOR = st.lists(st.sampled_from(PARTS), min_size=1, max_size=5).flatmap(
    lambda parts: st.lists(
        st.sampled_from([" ", " > ", "+", " ~ ", "  "]),
        min_size=len(parts) - 1,
        max_size=len(parts) - 1,
    ).map(lambda joints: parts[0] + "".join(map("".join, zip(joints, parts[1:], strict=True))))
)


def _chains(html: str) -> tuple[LexborHTMLParser, Chains, dict[int, int]]:
    parser, tree = LexborHTMLParser(html), parse(html)
    assert parser.root is not None
    elements = [each.mem_id for each in parser.root.traverse() if each.is_element_node]
    nodes = [node for node in range(len(tree)) if tree.tag[node] != TEXT]
    index = dict(zip(elements, nodes, strict=True))
    chains = Chains(tree, lambda part: [index[node.mem_id] for node in parser.css(part)])
    return parser, chains, index


def _matches(node: LexborNode, links: list[tuple[str, str]], parts: dict[str, set[int]]) -> bool:
    """By the definition of the combinators, one possibility after the other."""
    joint, part = links[-1]
    if node.mem_id not in parts[part]:
        return False
    above = list(_steps(node, "parent"))
    before = [each for each in _steps(node, "prev") if each.is_element_node]
    tried = {"": [], " ": above, ">": above[:1], "~": before, "+": before[:1]}[joint]
    return not joint or any(_matches(each, links[:-1], parts) for each in tried)


def _steps(node: LexborNode, way: str) -> Iterator[LexborNode]:
    while (following := getattr(node, way)) is not None:
        yield following
        node = following


@settings(deadline=None)
@given(html=ELEMENT, selector=SELECTOR)
def test_chains_find_what_their_definition_says(html: str, selector: str) -> None:
    parser, chains, index = _chains(html)
    links = links_of(selector)
    assert links is not None
    assert parser.root is not None
    parts = {part: {node.mem_id for node in parser.css(part)} for _, part in links}
    elements = [each for each in parser.root.traverse() if each.is_element_node]
    expected = {index[each.mem_id] for each in elements if _matches(each, links, parts)}
    assert chains.found(links) == sorted(expected)


@pytest.mark.parametrize(
    ("selector", "links"),
    [
        ("a", [("", "a")]),
        (" a >b\n~ c+d e ", [("", "a"), (">", "b"), ("~", "c"), ("+", "d"), (" ", "e")]),
        ("a[title='x > y'] :is(b c, d)", [("", "a[title='x > y']"), (" ", ":is(b c, d)")]),
        (r".\31 0 .a\ b", [("", r".\31 0"), (" ", r".a\ b")]),
        ('a[x="]"] b', [("", 'a[x="]"]'), (" ", "b")]),
        ("> a", None),
        ("a >", None),
        ("", None),
    ],
)
def test_selectors_are_cut_at_their_combinators(
    selector: str, links: list[tuple[str, str]] | None
) -> None:
    assert links_of(selector) == links


DEEP = "<main>" + "<div>" * 300 + "<p>plain words</p>"
WIDE = "<main>" + "<div></div>" * 3_000 + "<p>plain words</p>"


@pytest.mark.parametrize(
    ("html", "chain"),
    [(DEEP, "x " + "div " * 9 + "p"), (WIDE, "x ~ " + "div ~ " * 9 + "p")],
)
def test_a_chain_that_could_be_tried_in_endless_ways_is_matched(html: str, chain: str) -> None:
    styled = f"<style>{chain} {{ display: none }} {chain[2:]} {{ color: red }}</style>{html}"
    assert "plain words" in filter_html(styled, format="text").content["text"]
    tree = parse(html)
    assert selected(html, tree, [chain], field="include") is None
    marks = selected(html, tree, [chain[2:].removeprefix("~ ")], field="include")
    assert marks is not None
    assert sum(marks) == 2


@pytest.mark.parametrize(
    "selector",
    [
        ":is(" * 20 + "p" + ")" * 20,
        "div:has(div:has(div:has(div:has(x))))",
        "p" + ":not(.a)" * 1_000,
    ],
)
def test_what_would_take_too_long_is_refused_by_name(selector: str) -> None:
    with pytest.raises(InvalidSelector) as caught:
        selected(DEEP, parse(DEEP), [selector], field="exclude")
    assert "exclude" in caught.value.message
