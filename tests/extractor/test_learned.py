"""What is learned about main content: its parts one by one, and what it may and may not decide."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from extractor.pipeline import judged
from extractor.regions.features import measure
from extractor.regions.learned.arrays import arrays_of
from extractor.regions.learned.blocks import SAID, blocks_of
from extractor.regions.learned.choice import CUTS, choices_of, expected_f1
from extractor.regions.learned.columns import Matrix
from extractor.regions.learned.trees import Trees, trees_of
from extractor.regions.learned.weights import shipped, weights_of
from extractor.regions.learned.wording import along_path, named, names_of, parts_of, worded
from extractor.regions.result import RegionNode, Regions
from extractor.static import snapshot_from_bytes
from extractor.tree import Tree, parse
from extractor.units import visible_chars
from extractor.visibility import judge

PAGE = """<html><head><title>Boats</title></head><body class="page">
<nav class="site-menu"><a href="/a">One</a> <a href="/b">Two</a></nav>
<main id="story"><h1>Boats</h1><p class="lead">A boat floats. It costs $ 5, or <b>less</b>!</p>
<p class="lead">A boat floats.</p><img src="x" alt="a boat"></main>
<footer class="siteFooter"><p>All rights reserved 2024-01-02</p></footer></body></html>"""


def _page() -> tuple[Tree, Regions]:
    tree = parse(PAGE)
    regions = Regions(
        [RegionNode(0, "other", 1.0, ())], [0] * len(tree), [tag == "main" for tag in tree.tag]
    )
    return tree, regions


def _trees(rows: list[dict[str, list[float]]]) -> Trees:
    return trees_of(["x", "y"], rows)


def _asked(tree: dict[str, list[float]], row: tuple[float, float]) -> float:
    """The plain way: from the root to a leaf, one question at a time."""
    node = 0
    while tree["child"][node]:
        over = np.float32(row[int(tree["feature"][node])]) > np.float32(tree["over"][node])
        node = int(tree["child"][node]) + bool(over)
    return tree["value"][node]


@st.composite
def _some_tree(draw: st.DrawFn) -> dict[str, list[float]]:
    tree: dict[str, list[float]] = {"feature": [], "over": [], "child": [], "value": []}
    waiting = 1
    while len(tree["feature"]) < waiting:
        inner = waiting < 12 and draw(st.booleans())
        tree["feature"].append(draw(st.integers(0, 1)) if inner else 0)
        tree["over"].append(draw(st.integers(-3, 3)) if inner else 0)
        tree["child"].append(waiting if inner else 0)
        tree["value"].append(draw(st.integers(-8, 8)) / 4)
        waiting += 2 if inner else 0
    return tree


_ROWS = st.lists(st.tuples(st.integers(-4, 4), st.integers(-4, 4)), min_size=1, max_size=6)


@given(st.lists(_some_tree(), min_size=1, max_size=4), _ROWS)
def test_trees_answer_as_one_question_at_a_time_would(
    data: list[dict[str, list[float]]], rows: list[tuple[int, int]]
) -> None:
    matrix = Matrix(("x", "y"), np.asarray(rows, dtype=np.float32).T.copy())
    expected = [sum(_asked(tree, row) for tree in data) for row in rows]
    assert _trees(data).sums(matrix).tolist() == pytest.approx(expected)


@given(st.lists(_some_tree(), min_size=1, max_size=4), _ROWS)
def test_what_features_moved_leads_from_the_roots_to_the_answer(
    data: list[dict[str, list[float]]], rows: list[tuple[int, int]]
) -> None:
    matrix = Matrix(("x", "y"), np.asarray(rows, dtype=np.float32).T.copy())
    trees = _trees(data)
    start = sum(tree["value"][0] for tree in data)
    assert (start + trees.moved(matrix).sum(axis=0)).tolist() == pytest.approx(
        trees.sums(matrix).tolist(), abs=1e-5
    )


def test_trees_refuse_columns_that_they_were_not_grown_on() -> None:
    one = {"feature": [0], "over": [0.0], "child": [0], "value": [1.0]}
    with pytest.raises(ValueError, match="columns"):
        _trees([one]).sums(Matrix(("y", "x"), np.zeros((2, 1), dtype=np.float32)))


def test_weights_of_another_layout_are_refused() -> None:
    with pytest.raises(ValueError, match="make train"):
        weights_of({"layout": 0})


def test_blocks_are_counted_by_what_they_say() -> None:
    tree, regions = _page()
    features = measure(tree, visible_chars(tree, judge(tree).state))
    blocks = blocks_of(tree, arrays_of(tree, features, regions))
    said = {
        tree.tag[node]: dict(zip(SAID, row, strict=True))
        for node, row in zip(blocks.node.tolist(), blocks.said.tolist(), strict=True)
        if tree.tag[node] != "p"
    }
    first, second, rights = (
        dict(zip(SAID, row, strict=True))
        for node, row in zip(blocks.node.tolist(), blocks.said.tolist(), strict=True)
        if tree.tag[node] == "p"
    )
    assert set(said) == {"nav", "h1"}
    assert first == {
        "words": 9, "ends": 2, "ends_last": 1, "commas": 1, "digits": 1, "price": 1, "date": 0,
        "copies": 1,
    }  # fmt: skip
    assert (second["ends"], second["ends_last"]) == (1, 1)
    assert (rights["digits"], rights["date"], rights["ends"]) == (8, 1, 0)
    nav = blocks.node.tolist().index(tree.tag.index("nav"))
    assert blocks.links[nav] == len("OneTwo")


def test_names_are_scored_along_the_path() -> None:
    tree, regions = _page()
    features = measure(tree, visible_chars(tree, judge(tree).state))
    arrays = arrays_of(tree, features, regions)
    assert parts_of(("siteFooter js-x", "story")) == ["site", "footer", "story"]
    own = named(len(tree), names_of(tree), {"story": 1.0, "lead": -0.5, "footer": -2.0})
    path = along_path(arrays, own)
    lead, bold, foot = (tree.tag.index(tag) for tag in ("p", "b", "footer"))
    assert (path["sum"][lead], path["low"][lead], path["high"][lead]) == (0.5, -0.5, 1.0)
    assert path["near"][bold] == -0.5
    assert (path["sum"][foot], path["near"][foot]) == (-2.0, -2.0)
    assert worded([["new", "boat"], ["sea"]], {"new": -1.0, "boat": 2.0}).T.tolist() == [
        [0.5, -1.0, 2.0],
        [0.0, 0.0, 0.0],
    ]


def test_expected_f1_takes_likelihoods_at_their_word() -> None:
    words = np.asarray([10, 10, 10], dtype=np.float32)
    # Keeping all three: 2 * 12 / (30 + 12).
    unsure = np.asarray([0.5, 0.4, 0.3], dtype=np.float32)
    assert expected_f1(unsure, words) == pytest.approx(24 / 42, abs=1e-4)
    assert expected_f1(np.asarray([1, 0, 0], dtype=np.float32), words) == pytest.approx(1)


def test_choices_are_cuts_and_mixtures_with_the_rules() -> None:
    likely = np.asarray([0.92, 0.6, 0.22, 0.01], dtype=np.float32)
    by_hand = np.asarray([1, 0, 1, 1])
    names = "words link_share ends alike heading price in_body item_many read chars".split()
    table = {name: np.asarray([5, 9, 3, 2]) for name in names} | {"by_hand": by_hand}
    found = choices_of(likely, table, {"kind": 1.0})
    kept = [tuple(row) for row in found.kept.astype(int).tolist()]
    assert kept[: len(CUTS)] == [
        tuple(int(p >= min(cut, 0.95 * 0.92)) for p in (0.92, 0.6, 0.22, 0.01)) for cut in CUTS
    ]
    assert kept[len(CUTS) :] == [
        (1, 0, 1, 1),
        (1, 0, 1, 0),
        (1, 0, 1, 0),
        (1, 1, 1, 1),
        (1, 0, 1, 1),
    ]
    look = dict(zip(found.matrix.names, found.matrix.values.T[len(CUTS)].tolist(), strict=True))
    assert look["hand_f1"] == pytest.approx(1)
    assert look["share"] == pytest.approx(10 / 19)
    assert look["gap"] == pytest.approx(0.01 - 0.6)
    assert look["runs"] == 1


ARTICLE = (
    "<html><head><title>Tides</title></head><body><div class='menu'>"
    + "".join(f"<a href='/{n}'>Section {n}</a> " for n in range(12))
    + "</div><div class='article-body'><h1>Tides</h1>"
    + "".join(
        f"<p>The harbour master wrote on day {n} that the water had risen again, and nobody could say why.</p>"
        for n in range(19)
    )
    + "</div><div class='related-posts'><h3>Related posts</h3><ul>"
    + "".join(f"<li><a href='/p{n}'>Another post {n}</a></li>" for n in range(6))
    + "</ul></div></body></html>"
)


def _read(html: str) -> tuple[str, str, tuple[str, ...]]:
    page = judged(snapshot_from_bytes(html.encode(), url="https://a.example/tides"))
    tree, main = page.doc.tree, page.regions.main
    kept = " ".join(text for text, is_main in zip(tree.text, main, strict=True) if is_main)
    left = " ".join(text for text, is_main in zip(tree.text, main, strict=True) if not is_main)
    grounds = page.regions.grounds
    numbers = range(len(page.regions.items))
    return kept, left, tuple(why for n in numbers for why in (grounds.of(n) if grounds else ()))


def test_an_article_is_told_from_what_stands_around_it() -> None:
    kept, left, why = _read(ARTICLE)
    assert kept.count("harbour master") == 19
    assert "Section 3" in left
    assert "Another post 2" in left
    assert why
    assert all(each.startswith("model:") for each in why)


def test_a_small_page_is_left_to_the_rules() -> None:
    _, _, why = _read("<html><body><main><p>Nothing here yet.</p></main></body></html>")
    assert why == ()


def test_elements_are_main_where_any_text_in_them_is() -> None:
    page = judged(snapshot_from_bytes(ARTICLE.encode(), url="https://a.example/tides"))
    tree, main = page.doc.tree, page.regions.main
    for node, parent in enumerate(tree.parent):
        assert parent < 0 or not main[node] or main[parent]


def test_shipped_scores_are_sorted_and_small() -> None:
    weights = shipped()
    for scores in (weights.names, weights.words):
        assert all(one < other for one, other in pairwise(scores))
        assert max(map(abs, scores.values())) < 6
