"""Parts of selectors that are looked up by name: the nodes that lexbor finds, and no guess about others."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from extractor.static.bounds import Limits, bounded
from extractor.styles.names import NameIndex
from extractor.tree import TEXT, parse

CLASSES = st.lists(st.sampled_from(["x", "X", "y-1", "_z"]), max_size=3).map(" ".join)
PAGES = st.lists(
    st.builds(
        "<{0} class='{1}' {2} {3}>".format,
        st.sampled_from(["i", "b", "svg", "p", "P"]),
        CLASSES,
        st.sampled_from(["", "id=x", "id=X"]),
        st.sampled_from(["", "data-v", "data-v=1"]),
    ),
    max_size=12,
).map("".join)
PARTS = st.builds(
    "{0}{1}{2}".format,
    st.sampled_from(["", "i", "p", "svg"]),
    st.sampled_from([".x", ".X", "#x", ".x.y-1", "#X.x", "._z._z"]),
    st.sampled_from(["", "[data-v]"]),
)


@given(PAGES, PARTS)
def test_names_are_looked_up_as_lexbor_finds_them(page: str, part: str) -> None:
    html = f"<!DOCTYPE html><body>{page}"
    parser, tree = LexborHTMLParser(html), parse(html)
    assert parser.root is not None
    elements = [each.mem_id for each in parser.root.traverse() if each.is_element_node]
    nodes = (node for node in range(len(tree)) if tree.tag[node] != TEXT)
    index = dict(zip(elements, nodes, strict=True))
    assert NameIndex(tree).nodes_of(part) == [index[each.mem_id] for each in parser.css(part)]


@pytest.mark.parametrize(
    "part", ["*", "p", ".x:hover", ".x[title]", "svg|p.x", ".a\\62", ":is(.x)"]
)
def test_parts_that_ask_for_more_are_left_to_lexbor(part: str) -> None:
    assert NameIndex(parse("<p class=x>")).nodes_of(part) is None


def _spread(count: int, between: str) -> str:
    return "<p " + between.join(f"a{n}=v" for n in range(count)) + ">words"


@pytest.mark.parametrize(
    ("html", "taken"),
    [
        (_spread(1_000, " "), 0),
        (_spread(1_003, " "), 3),
        (_spread(1_003, "/").replace("=v", ""), 3),
        ("<p " + "".join(f"a{n}='>>'" for n in range(1_005)) + ">words", 5),
        ("<p title='>> >'" + " b" * 1_004 + ">words", 5),
        ("<script>if (a<b) {" + " x" * 5_000 + "}</script><p>words", 0),
    ],
)
def test_attributes_past_the_most_are_counted_wherever_their_tag_seems_to_end(
    html: str, taken: int
) -> None:
    _, found = bounded("<!DOCTYPE html>" + "<i>pad</i>" * 400 + html, Limits(300_000, 1_000))
    assert found.attributes == taken
