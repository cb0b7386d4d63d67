"""Pages of a size that breaks tools: what comes out is counted by hand from how each page is made."""

from __future__ import annotations

import re

import pytest

from extractor import Page
from extractor.pipeline import Options, filtered
from extractor.snapshot import Snapshot
from extractor.static import StaticOptions, snapshot_from_bytes
from extractor.tree import TEXT, parse


def _snapshot(body: str, *, max_nodes: int = 300_000) -> Snapshot:
    html = f"<!DOCTYPE html><title>Large</title><main>{body}</main>"
    options = StaticOptions(max_nodes=max_nodes)
    return snapshot_from_bytes(
        html.encode(), url="https://a.test/x", content_type="text/html", options=options
    )


def _page(body: str, name: str, budget: int) -> Page:
    page = filtered(_snapshot(body), Options((name,), budget))
    assert len(page.content[name]) <= budget or budget == 0
    assert page.stats.kept_chars + page.stats.folded_chars == page.stats.visible_chars
    return page


def test_two_hundred_thousand_elements_fit_a_budget() -> None:
    items = "".join(f"<p><i><b>item {n:05}</b></i></p>" for n in range(66_667))
    snapshot = _snapshot(items)
    elements = sum(tag != TEXT for tag in parse(snapshot.html).tag)
    # html, head, title, body and main stand around three elements for each item.
    assert elements == 3 * 66_667 + 5
    assert snapshot.meta.complete
    page = filtered(snapshot, Options(("html",), 10_000))
    assert len(page.content["html"]) <= 10_000
    assert page.stats.visible_chars == len("item 00000") * 66_667
    assert page.stats.kept_chars + page.stats.folded_chars == page.stats.visible_chars
    assert "item 00000" in page.content["html"]


def test_ten_thousand_elements_in_each_other_lose_their_depth_and_no_word() -> None:
    words = [f"word{n}" for n in range(10_000)]
    body = "".join(f"<div>{word} " for word in words) + "</div>" * 10_000
    snapshot = _snapshot(body)
    tree = parse(snapshot.html)
    depth = [0] * len(tree)
    for node in range(1, len(tree)):
        depth[node] = depth[tree.parent[node]] + 1
    assert 400 < max(depth) <= 512
    assert "depth" in [notice.code for notice in snapshot.meta.notices]
    page = filtered(snapshot, Options(("text",), 0))
    assert page.content["text"].split() == words


@pytest.mark.parametrize("name", ["text", "markdown", "html"])
def test_a_long_paragraph_keeps_both_ends_and_whole_sentences(name: str) -> None:
    # 1,000 sentences of 59 characters, with a space between: 59,999.
    sentences = [
        f"Sentence number {n:04} tells of a ledger kept with much care." for n in range(1_000)
    ]
    text = " ".join(sentences)
    assert len(text) == 59_999
    page = _page(f"<p>{text}</p>", name, 10_000)
    out = page.content[name]
    assert sentences[0] in out
    assert sentences[-1] in out
    assert len(page.folds) == 1
    kept = re.split(r"\[folded[^\]]*\]|<pf-fold[^>]*></pf-fold>", out)
    assert len(kept) == 2
    whole = [s for part in kept for s in re.findall(r"Sentence number \d+[^.]*\.", part)]
    assert set(whole) <= set(sentences)
    # No sentence is cut: every beginning that stands there belongs to a whole one.
    assert sum(part.count("Sentence") for part in kept) == len(whole)
    # The budget is used: the largest marker is far smaller than a thousand characters.
    assert len(out) >= 9_000


@pytest.mark.parametrize("name", ["text", "markdown", "html"])
def test_a_long_table_keeps_caption_header_and_whole_rows(name: str) -> None:
    rows = "".join(f"<tr><td>d{n:04}</td><td>tide of {n:04}</td></tr>" for n in range(5_000))
    head = "<caption>Tides of the bar</caption><thead><tr><th>Day</th><th>Height</th></tr></thead>"
    page = _page(f"<table>{head}<tbody>{rows}</tbody></table>", name, 3_000)
    out = page.content[name]
    assert "Tides of the bar" in out
    assert re.search(r"Day(\t| \| |</th><th>)Height", out)
    kept = re.sub(r"\[folded[^\]]*\]|<pf-fold[^>]*></pf-fold>", "", out)
    days, tides = re.findall(r"\bd(\d{4})\b", kept), re.findall(r"tide of (\d{4})", kept)
    assert days == tides
    assert days[:20] == [f"{n:04}" for n in range(20)]
    assert page.stats.visible_chars == 16 + 3 + 6 + 5_000 * (5 + 12)
    assert sum(fold.items for fold in page.folds) == 5_000 - len(days)


@pytest.mark.parametrize("name", ["text", "markdown", "html"])
def test_data_addresses_of_a_megabyte_leave_their_type_and_size(name: str) -> None:
    picture = "data:image/png;base64," + "A" * 1_000_000
    body = f'<p>Before.</p><p><img alt="Chart" src="{picture}"></p><p>After.</p>'
    snapshot = _snapshot(body)
    assert f"data:image/png;size={len(picture)}," in snapshot.html
    assert len(snapshot.html) < 500
    out = filtered(snapshot, Options((name,), 1_000)).content[name]
    assert re.findall("Before|Chart|After", out) == ["Before", "Chart", "After"]
    assert "AAAA" not in out
    assert "](https://a.test/x)" not in out


@pytest.mark.parametrize("name", ["text", "markdown", "html"])
@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("tag", ["nav", "div"])
def test_a_menu_of_nine_hundred_links_gives_way_to_the_prose(
    name: str, tag: str, *, first: bool
) -> None:
    links = "".join(f"<li><a href=/t/{n}>Topic {n:03}</a></li>" for n in range(900))
    menu = f"<{tag}><ul>{links}</ul></{tag}>"
    prose = "".join(
        f"<p>Paragraph {n:02} tells how the clerk of the harbour wrote every boat that crossed the bar "
        "into his book, year after year.</p>"
        for n in range(40)
    )
    page = _page(menu + prose if first else prose + menu, name, 7_000)
    out = page.content[name]
    assert re.findall(r"Paragraph (\d\d) ", out) == [f"{n:02}" for n in range(40)]
    assert sum(fold.chars for fold in page.folds) == page.stats.folded_chars > 0


def test_nodes_past_the_limit_are_cut_and_said() -> None:
    # html, head, title and its text, body and main: six nodes, then two for each item.
    snapshot = _snapshot("".join(f"<p>item{n}</p>" for n in range(1_000)), max_nodes=106)
    assert not snapshot.meta.complete
    assert snapshot.meta.incomplete_reason == "max_nodes"
    assert snapshot.meta.nodes == 106
    assert re.findall(r"item(\d+)<", snapshot.html) == [str(n) for n in range(50)]
    assert "truncated_nodes" in [notice.code for notice in snapshot.meta.notices]
    page = filtered(snapshot, Options(("text",), 10_000))
    assert not page.complete
