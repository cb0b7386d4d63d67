"""The outline is bounded and says what it leaves out."""

from __future__ import annotations

import pytest

from extractor.compose import compose
from extractor.refs import resolve
from extractor.regions import find_regions
from extractor.render.outline import render_outline
from extractor.tree import parse
from extractor.units import build, visible_chars
from extractor.visibility import judge

SECTIONS = "".join(
    f"<h2>Part {i}</h2><p>{'word ' * 30}</p><h3>Sub {i}</h3><p>x</p>" for i in range(40)
)
PAGE = f"<title>T</title><nav><a href=/>Home</a></nav><main><h1>Top</h1>{SECTIONS}</main>"


def outline(budget: int | None) -> str:
    tree = parse(compose(PAGE).html)
    verdicts = judge(tree)
    regions = find_regions(tree, verdicts, visible_chars(tree, verdicts.state))
    doc = build(tree, verdicts.state, regions.role_of, {}, "")
    out = render_outline(doc, regions, budget, title="T")
    for line in out.split("\n")[1:]:
        if not line.startswith("\u2026"):
            resolve(doc, line.rsplit(" ", 1)[1])
    return out


@pytest.mark.parametrize("budget", [500, 800, 2_000])
def test_the_outline_is_within_its_budget_and_counts_the_rest(budget: int) -> None:
    out = outline(budget)
    assert len(out) <= budget
    whole, shown = outline(None).split("\n"), out.split("\n")
    assert shown[-1].startswith(f"\u2026 {len(whole) - len(shown) + 1} more at depth ")


def test_the_outline_has_every_heading_by_level_and_no_content() -> None:
    out = outline(None)
    assert sum(" ## Part" in line for line in out.split("\n")) == 40
    assert "[main]" in out
    assert "word" not in out


def test_the_outline_is_an_indented_tree_and_says_how_deep_the_rest_is() -> None:
    page = (
        "<title>T</title><header><nav><a href=/>Home</a></nav><p>Site words</header><main><h1>Top</h1><p>x"
        "<h2>A</h2><p>y<section><h3>B</h3><p>z</section><h2>C</h2></main><footer><nav><a href=/a>About</a></nav></footer>"
    )
    tree = parse(compose(page).html)
    verdicts = judge(tree)
    regions = find_regions(tree, verdicts, visible_chars(tree, verdicts.state))
    doc = build(tree, verdicts.state, regions.role_of, {}, "")
    lines = render_outline(doc, regions, None).split("\n")[1:]
    shape = [line.rsplit(" ", 2)[0] for line in lines]
    start = shape.index("[main]")
    assert shape[start : start + 5] == ["[main]", "  # Top", "    ## A", "      ### B", "    ## C"]
    depths = [(len(line) - len(line.lstrip())) // 2 for line in lines]
    assert all(after <= before + 1 for before, after in zip([-1, *depths], depths, strict=False))


def test_what_stands_in_something_is_never_shown_without_it() -> None:
    for budget in range(500, 2_500, 97):
        lines = outline(budget).split("\n")[1:]
        depths = [
            (len(line) - len(line.lstrip())) // 2 for line in lines if not line.startswith("\u2026")
        ]
        assert all(
            after <= before + 1 for before, after in zip([-1, *depths], depths, strict=False)
        )


def test_a_region_that_is_all_of_another_shares_its_line() -> None:
    page = "<main><article><h1>Top</h1><p>Some words of an article that goes on.</article></main>"
    tree = parse(compose(page).html)
    verdicts = judge(tree)
    regions = find_regions(tree, verdicts, visible_chars(tree, verdicts.state))
    out = render_outline(build(tree, verdicts.state, regions.role_of, {}, ""), regions, None)
    assert sum("[" in line for line in out.split("\n")) == 1
