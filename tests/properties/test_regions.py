"""For any tree: regions are found, they nest, they are the same each time, and indices hold."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from extractor.regions import Regions, find_regions
from extractor.tree import TEXT, Tree, parse
from extractor.units import visible_chars
from extractor.visibility import judge

_TAGS = st.sampled_from(
    "div section main article nav aside header footer form dialog ul li a button p h1 span table tr td "
    "input select option label x-card".split()
)
_ATTRIBUTES = st.sampled_from(
    [
        "", " role=main", " role=dialog", " class=sidebar", " class='related posts'", " id=comments",
        " class=cookie-consent", " data-pf-pos=fixed data-pf-box='0,0,1280,720'", " data-pf-box='0,0,x,'",
        " data-pf-h=display", " data-pf-c=tab", " href='/a#b'", " itemtype='https://schema.org/Comment'",
    ]
)  # fmt: skip
_TEXTS = st.sampled_from(
    [
        "",
        "Home",
        "We use cookies",
        "Related",
        "3 comments",
        "\u6e2f\u3067\u3059\u3002",
        "A whole sentence, it says. " * 9,
    ]
)
_PIECES = st.lists(st.tuples(_TAGS, _ATTRIBUTES, _TEXTS, st.booleans()), max_size=40)


def _regions(tree: Tree) -> Regions:
    verdicts = judge(tree)
    return find_regions(
        tree,
        verdicts,
        visible_chars(tree, verdicts.state),
        viewport=(1280, 720),
        url="https://a.test/a",
    )


@given(_PIECES)
def test_regions_are_total_deterministic_and_nested(
    pieces: list[tuple[str, str, str, bool]],
) -> None:
    html = "".join(
        f"<{tag}{attributes}>{text}" + (f"</{tag}>" if close else "")
        for tag, attributes, text, close in pieces
    )
    tree = parse(f"<html><body>{html}</body></html>")
    regions = _regions(tree)
    assert regions == _regions(tree)
    assert len(regions.role_of) == len(regions.main) == len(tree)
    nodes = [item.node for item in regions.items]
    assert nodes == sorted(nodes)
    for item in regions.items:
        assert 0 < item.confidence <= 1
        assert tree.tag[item.node] != TEXT
        assert item.node == 0 or item.evidence
    for node in range(1, len(tree)):
        innermost = regions.items[regions.role_of[node]].node
        assert innermost <= node < tree.end[innermost]
        assert not any(innermost < other <= node < tree.end[other] for other in nodes)


def test_an_empty_tree_has_no_regions_but_the_page() -> None:
    regions = _regions(Tree([], [], [], [], []))
    assert [item.role for item in regions.items] == ["other"]


def test_a_deep_page_is_read_to_its_end() -> None:
    depth = 10_000
    size = depth + 3
    tree = Tree(
        tag=["html", "body", *["div"] * depth, TEXT],
        parent=list(range(-1, size - 1)),
        end=[size] * size,
        attrs=[None] * size,
        text=[*[""] * (size - 1), "Deep words of the pier."],
    )
    assert _regions(tree).is_main(size - 1)
