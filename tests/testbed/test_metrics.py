"""Measures of agreement: small cases worked by hand, and a second implementation where there is one."""

from __future__ import annotations

import gzip
import importlib.util
import json
import os
import types
from pathlib import Path

import pytest

from testbed.compare.filters import plain_text
from testbed.compare.metrics import agreement, answers
from testbed.compare.ours import pagefold, visible
from testbed.compare.pages import Gold, gold_of
from testbed.compare.prices import spellings
from testbed.compare.source import Source
from testbed.compare.text import html_to_text, markdown_to_text
from testbed.compare.wellformed import well_formed

DATA = Path(
    os.environ.get("PAGEFOLD_SHARED", Path(__file__).parents[3] / "shared"), "data/extraction"
)


def test_words_are_counted_as_often_as_they_stand() -> None:
    found = agreement(Gold(text="the cat and the dog"), "The cat, the cat")
    # Common: the (twice), cat (once) = 3 of 4 given and of 5 wanted.
    assert (found.precision, found.recall) == (3 / 4, 3 / 5)
    assert found.f1 == pytest.approx(2 * 0.75 * 0.6 / 1.35)


def test_shingles_see_the_order_of_words() -> None:
    found = agreement(Gold(text="a b c d e"), "a b c d x e")
    # Given: abcd bcdx cdxe; wanted: abcd bcde. One in common.
    assert (found.shingle_precision, found.shingle_recall) == (1 / 3, 1 / 2)
    assert found.shingle_f1 == pytest.approx(0.4)


@pytest.mark.parametrize(
    ("gold", "output", "f1"), [("", "", 1.0), ("word", "", 0.0), ("", "word", 0.0)]
)
def test_empty_texts_agree_only_with_each_other(gold: str, output: str, f1: float) -> None:
    assert agreement(Gold(text=gold), output).f1 == f1


def test_passages_are_found_whatever_their_spaces_and_case() -> None:
    gold = Gold(wanted=("Fine  Words", "Missing"), unwanted=("Cookies",))
    found = agreement(gold, "some fine\nwords and cookies")
    assert (found.wanted, found.unwanted, found.retention) == (0.5, 1.0, 0.5)
    assert (found.wanted_hits, found.unwanted_hits) == (1, 1)
    assert found.f1 is None


def test_any_spelling_of_a_field_is_enough() -> None:
    gold = Gold(fields={"price": tuple(spellings(["1299.00"])), "brand": ("Acme",)})
    assert agreement(gold, "only 1,299 today").fields == 0.5


def test_answers_of_a_text_without_passages_are_the_same_each_time() -> None:
    text = " ".join(
        f"This is sentence number {number}, made long enough to count." for number in range(40)
    )
    assert len(answers(Gold(text=text))) == 8
    assert answers(Gold(text=text)) == answers(Gold(text=text))
    assert all(sentence in text for sentence in answers(Gold(text=text)))


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("<p>One<p>Two <b>bold</b>", "One\n\nTwo bold"),
        ("<div>a<script>no()</script><style>x{}</style>b</div>", "ab"),
        ("a<br>b<ul><li>c</li></ul>", "a\n\nb\n\nc"),
        ("", ""),
    ],
)
def test_markup_is_read_block_by_block(markup: str, text: str) -> None:
    assert html_to_text(markup) == text


def test_deep_markup_is_read_to_its_end() -> None:
    assert html_to_text("<div>" * 200 + "deep" + "</div>" * 200).strip() == "deep"


def test_markdown_keeps_its_words_and_loses_its_marks() -> None:
    text = markdown_to_text(
        "# Head\n\n- a [link](http://x/y_(z)) and ![pic](p.png)\n\n**bold** \\*star\\*"
    )
    assert text.split() == ["Head", "a", "link", "and", "bold", "star"]


@pytest.mark.parametrize(
    ("markup", "whole"),
    [
        ("<p>a<br>b</p>", True),
        ("<p>a", False),
        ("<b><i>x</b></i>", False),
        ("<p>a</p><a hre", False),
        ("<svg><path/></svg>", True),
    ],
)
def test_what_was_cut_or_crosses_is_not_whole(markup: str, whole: bool) -> None:
    assert well_formed(markup) is whole


# ------------------------------------------------------------------ the published definitions


@pytest.fixture(scope="module")
def published() -> types.ModuleType:
    if not (DATA / "score.py").is_file():
        pytest.skip("needs the extraction data: set PAGEFOLD_SHARED")
    spec = importlib.util.spec_from_file_location("published_score", DATA / "score.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    "dataset",
    [
        "wcxb",
        "scrapinghub_articles",
        "mozilla_readability",
        "defuddle_fixtures",
        "trafilatura_eval",
    ],
)
def test_scores_agree_with_the_published_definitions(
    published: types.ModuleType, dataset: str
) -> None:
    with (DATA / dataset / "gold.jsonl").open(encoding="utf-8") as lines:
        entries = [json.loads(line) for line in lines][:400:50]
    for entry in entries:
        body = gzip.decompress((DATA / dataset / "pages" / f"{entry['id']}.html.gz").read_bytes())
        source = Source(body, published.decode(body), entry.get("url"))
        for form, filter in (("text", pagefold), ("html", visible), ("markdown", pagefold)):
            output = filter(source, form, 0)
            text = plain_text(output, form)
            theirs = {"html": published.html_to_text, "markdown": published.md_to_text}.get(
                form, str
            )(output)
            assert text == theirs
            row = published.score(entry, text, published.gold_text(entry))
            found = agreement(gold_of(entry), text)
            for name, value in (
                ("wf", found.f1),
                ("wp", found.precision),
                ("wr", found.recall),
                ("sp", found.shingle_precision),
                ("sr", found.shingle_recall),
            ):
                assert row.get(name) == (
                    value if value is None else pytest.approx(value, abs=5e-4)
                ), name
            hits = (found.wanted_hits, found.unwanted_hits)
            assert (row.get("w_hit", 0), row.get("wo_hit", 0)) == hits
