"""Plain head-tail keeps both ends of a page and one fold between, with the guarantees of every fold."""

from __future__ import annotations

import pytest
import regex

from extractor import filter_html, unfold
from extractor.head_tail import head_tail

PAGE = (
    "<main><h1>Top</h1>"
    + "".join(f"<p>Number {i} says hello to the pier.</p>" for i in range(900))
    + "</main>"
)


def test_every_prefix_is_a_head_and_a_tail_in_proportion() -> None:
    order = head_tail([10] * 100)
    assert sorted(order) == list(range(100))
    for size in range(1, 100):
        kept = sorted(order[:size])
        head = next((i for i, unit in enumerate(kept) if unit != i), size)
        assert kept[head:] == list(range(100 - (size - head), 100))
        assert abs(head - 0.7 * size) <= 1


@pytest.mark.parametrize("name", ["text", "markdown", "html"])
@pytest.mark.parametrize("budget", [500, 2_000, 10_000])
def test_one_fold_stands_between_the_ends_and_gives_the_rest_back(name: str, budget: int) -> None:
    page = filter_html(PAGE, budget=budget, format=name, fold="head_tail", main_only=False)
    out = page.content[name]
    assert len(out) <= budget
    assert len(page.folds) == 1
    assert "Top" in out
    assert "Number 899 says" in out
    assert page.stats.kept_chars + page.stats.folded_chars == page.stats.visible_chars
    rest = unfold(page.snapshot, page.folds[0].ref, format="text", budget=None)
    said = [
        set(regex.findall(r"Number (\d+) says hello to the pier\.", text)) for text in (out, rest)
    ]
    # The marker's preview repeats a few words of what it stands for.
    assert said[0] | said[1] == {str(i) for i in range(900)}
    assert len(said[0] & said[1]) <= 3


def test_no_grapheme_cluster_is_cut() -> None:
    page = filter_html(
        f"<main><p>{'👩‍🔬' * 20_000}</p></main>", format="text", budget=10_000, fold="head_tail"
    )
    out = page.content["text"]
    assert len(out) <= 10_000
    kept = regex.sub(r"\[folded [^\]]*\]", "", out)
    assert set(regex.findall(r"\X", kept.replace("\n", ""))) == {"👩‍🔬"}
