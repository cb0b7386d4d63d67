"""What stays and what goes when a page must be shorter."""

from __future__ import annotations

import re

import pytest

from extractor import Page, filter_html, filter_snapshot
from extractor.relevance import tokens
from extractor.snapshot import Snapshot
from extractor.tree import parse
from tests.properties.oracle import justhtml_tree

FILLER = "The clerk writes down each ship with its cargo, and the ink dries on the page by noon. "


def page_of(body: str, *, budget: int = 2_000, format: str = "html", **options: object) -> Page:
    html = f"<title>Pier</title><main><h1>Pier</h1>{body}</main>"
    return filter_html(html, budget=budget, format=format, **options)  # type: ignore[arg-type]


def test_list_items_behind_one_marker_are_called_so() -> None:
    items = "".join(
        f"<li>{name} kettle number {i} {FILLER}</li>"
        for i, name in enumerate(["Blue", "Red", "Green"] * 20)
    )
    page = page_of(f"<ul>{items}</ul>")
    [fold] = page.folds
    assert fold.what.startswith("list items: ")
    assert "kettle number" in fold.what
    kept = [int(n) for n in re.findall(r"<li>\w+ kettle number (\d+)", page.content["html"])]
    assert kept == list(range(len(kept)))
    assert len(kept) >= 3


def test_a_table_keeps_caption_header_and_whole_rows() -> None:
    rows = "".join(f"<tr><td>Day {i}</td><td>{FILLER}</td></tr>\n" for i in range(60))
    table = f"<table><caption>Tides</caption>\n<tbody>\n<tr><th>Day</th><th>Note</th></tr>{rows}</table>"
    page = page_of(FILLER * 5 + table, query="Day 40")
    html = page.content["html"]
    tree = parse(html)
    assert "<caption>Tides</caption>" in html
    assert "<th>Day</th><th>Note</th>" in html
    cells = [tree.tag[tree.parent[node]] for node in range(len(tree)) if tree.tag[node] == "td"]
    assert cells
    assert set(cells) == {"tr"}
    for row in re.findall(r"<tr>(.*?)</tr>", html):
        assert "pf-fold" in row or row.count("<td>") in (0, 2)


def test_code_keeps_whole_lines_and_their_white_space() -> None:
    lines = [f"\tdef step_{i}(x):  # {'y' * 40}" for i in range(100)]
    page = page_of("<pre><code>" + "\n".join(lines) + "</code></pre>")
    text = next("".join(tree.text) for tree in [justhtml_tree(page.content["html"])])
    kept = [line for line in text.split("\n") if "def" in line]
    assert len(kept) > 5
    assert set(kept) <= {*lines, "Pier" + lines[0], "PierPier" + lines[0]}
    assert any("step_99" in line for line in kept), "a long block is cut in the middle"


def test_one_long_text_is_cut_in_the_middle_at_sentence_ends() -> None:
    sentences = [
        f"Sentence {i} says what the keeper saw from the tower that night." for i in range(600)
    ]
    page = page_of(f"<p>{' '.join(sentences)}</p>")
    text = re.sub(r"<[^>]*>", "|", page.content["html"].split("<p>")[1])
    head, tail = text.split("|", 1)
    assert head.startswith("Sentence 0 ")
    assert head.endswith("night.")
    assert tail.strip("|").startswith("Sentence ")
    assert "Sentence 599 " in tail
    assert len(page.content["html"]) > 1_500


@pytest.mark.parametrize("unit", ["👩\u200d🔬", "e\u0301", "🇳🇴", "क\u094dष", "각"])
def test_a_cut_never_falls_inside_a_grapheme(unit: str) -> None:
    page = page_of(f"<p>{unit * 20_000}</p>", budget=3_000)
    kept = "".join(text for text in parse(page.content["html"]).text if unit in text)
    assert len(kept) > 1_000
    assert kept == unit * (len(kept) // len(unit))


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("harbour dues", "The harbour dues of 1871 were raised."),
        ("港の料金", "一八七一年に港の料金が上がった。"),
        ("ค่าธรรมเนียมท่าเรือ", "ในปีนั้นค่าธรรมเนียมท่าเรือเพิ่มขึ้น"),
        ("رسوم الميناء", "ارتفعت رسوم الميناء في ذلك العام."),
    ],
)  # fmt: skip
def test_a_query_changes_what_is_kept(query: str, wanted: str) -> None:
    sections = "".join(
        f"<h2>Part {i}</h2><p>{FILLER * 3}</p><p>{FILLER * 6}</p>" for i in range(80)
    )
    body = f"{sections}<h2>Late part</h2><p>{FILLER * 8}</p><p>{wanted}</p>{sections}"
    assert wanted not in page_of(body, budget=1_500).content["html"]
    steered = page_of(body, budget=1_500, query=query).content["html"]
    assert wanted in steered
    assert "<h2>Late part</h2>" in steered


def test_words_of_unspaced_scripts_are_pairs() -> None:
    assert tokens("Ärger in 東京都") == ["ärger", "in", "東京", "京都"]


@pytest.mark.parametrize("budget", [600, 1_000, 2_000, 4_000])
def test_what_main_only_leaves_out_keeps_role_and_words(budget: int) -> None:
    links = "".join(f"<li><a href=/{i}>Place {i}</a></li>" for i in range(8))
    html = (
        f"<header><p>Harbour news and tides</p></header><nav aria-label=Main><ul>{links}</ul></nav>"
        f"<main><h1>Pier</h1><p>{FILLER * 200}</p></main><footer><p>Printed at the quay</p></footer>"
    )
    page = filter_html(html, budget=budget, format="markdown")
    away = [fold for fold in page.folds if fold.rule == "main_only"]
    assert {"header", "nav", "footer"} <= {fold.region for fold in away}
    assert all(fold.what for fold in away)
    assert len(page.content["markdown"]) <= budget


def test_a_long_frame_does_not_push_out_the_page() -> None:
    seen = filter_html(
        f"<main><h1>Pier</h1><p>{FILLER * 60}</p><p>Last own words.</p></main>"
    ).snapshot
    frame = f"<pf-frame data-pf-url='https://ad.test/'><p>{FILLER.replace('clerk', 'frame') * 200}</p></pf-frame>"
    html = seen.html.replace("<h1>", frame + "<h1>")
    page = filter_snapshot(Snapshot(html, seen.meta), budget=4_000)
    text = page.content["html"]
    assert text.count("clerk") > 2 * text.count("The frame writes") > 0


def test_head_and_tail_alone() -> None:
    body = "".join(f"<p>Line {i} of the log, as it was written down.</p>" for i in range(400))
    page = filter_snapshot(page_of(body).snapshot, budget=2_000, format="text", fold="head_tail")
    numbers = [int(n) for n in re.findall(r"^Line (\d+)", page.content["text"], re.M)]
    gap = max(range(1, len(numbers)), key=lambda i: numbers[i] - numbers[i - 1])
    assert numbers[:gap] == list(range(gap))
    assert numbers[gap:] == list(range(400 - len(numbers) + gap, 400))
    assert 0.6 < gap / len(numbers) < 0.8
    assert len(page.folds) == 1
