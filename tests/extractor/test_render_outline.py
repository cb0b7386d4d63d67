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
    assert shown[-1] == f"\u2026 {len(whole) - len(shown) + 1} more"


def test_the_outline_has_every_heading_by_level_and_no_content() -> None:
    out = outline(None)
    assert sum(" ## Part" in line for line in out.split("\n")) == 40
    assert "[main]" in out
    assert "word" not in out
