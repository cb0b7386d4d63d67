"""The outline is bounded and says what it leaves out; metadata comes from the head."""

from __future__ import annotations

import pytest

from extractor.compose import compose
from extractor.refs import resolve
from extractor.regions import find_regions
from extractor.render.metadata import metadata_of
from extractor.render.outline import render_outline
from extractor.snapshot import SnapshotMeta
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
    doc = build(tree, verdicts.state, verdicts.reason, regions.role_of, {}, "")
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


def test_metadata_is_read_from_the_head() -> None:
    head = (
        "<meta name=description content=' a  b '><meta property=og:title content=O>"
        "<meta property=og:image content=1><meta property=og:image content=2>"
        "<link rel=canonical href=https://e.test/><link rel='shortcut icon' href=https://e.test/i>"
        "<meta name=author content=Ada>"
    )
    meta = SnapshotMeta("", "", "given", title="T", json_ld=('{"a": 1}', "{bad"))
    assert metadata_of(parse(f"<html><head>{head}</head><body></body></html>"), meta) == {
        "title": "T",
        "description": "a b",
        "canonical": "https://e.test/",
        "author": "Ada",
        "open_graph": {"title": "O", "image": ["1", "2"]},
        "icons": ["https://e.test/i"],
        "json_ld": [{"a": 1}],
        "json_ld_invalid": 1,
    }
