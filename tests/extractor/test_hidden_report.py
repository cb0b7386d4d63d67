"""Hidden text is reported by place, size, reason and hash, and appears nowhere in what is handed out."""

from __future__ import annotations

import hashlib

import pytest

from api.pages_json import page_bytes
from extractor import Page, filter_html, filter_snapshot
from extractor.snapshot import Snapshot

FORMATS = ("html", "markdown", "text", "outline", "links", "metadata")
HIDDEN = {
    "display": "<div style='display:none'>SECRET display <a href=/x>SECRET link</a></div>",
    "visibility": "<p style='visibility:hidden'>SECRET <b>visibility</b></p>",
    "opacity": "<li style='opacity:0'>SECRET opacity</li>",
    "font_size": "<h2 style='font-size:0'>SECRET heading</h2>",
    "text_indent": "<td style='text-indent:-9999px'>SECRET cell</td>",
    "transform": "<select style='transform:scale(0)'><option>SECRET option</select>",
}  # fmt: skip


def page_of(body: str) -> Page:
    html = f"<title>Pier</title><main><h1>Pier</h1><p>Seen words.</p>{body}</main>"
    return filter_html(html, format=FORMATS, budget=None)


@pytest.mark.parametrize("reason", HIDDEN)
def test_hidden_text_is_reported_and_never_handed_out(reason: str) -> None:
    body = HIDDEN[reason]
    table = f"<table><tr>{body}</tr></table>"
    page = page_of(table if body.startswith("<td") else body)
    assert {item.reason for item in page.hidden} == {reason}
    assert b"SECRET" not in page_bytes(page)
    assert page.stats.hidden_chars == sum(item.chars for item in page.hidden)
    assert [notice.code for notice in page.warnings] == ["hidden_text"]


def test_the_report_says_where_how_long_and_what_by_its_hash() -> None:
    (item,) = page_of(
        "<nav><a href=/tides>Tides</a><div style='display:none'> two\n words </div></nav>"
    ).hidden
    assert item.chars == len("two words")
    assert item.sha256 == hashlib.sha256(b"two words").hexdigest()
    assert item.path.endswith("main > nav > div")
    assert (item.region, item.frame) == ("nav", None)


def test_a_hidden_option_is_no_part_of_its_select() -> None:
    page = page_of("<select><option>Monday<option style='display:none'>SECRET</select>")
    assert [item.reason for item in page.hidden] == ["display"]
    assert b"SECRET" not in page_bytes(page)
    assert "Monday" in page.content["html"]


def test_a_frame_is_named() -> None:
    seen = page_of("<p>x</p>").snapshot
    frame = (
        "<pf-frame data-pf-url='https://ad.test/'><p data-pf-h=covered>SECRET</p></pf-frame></body>"
    )
    page = filter_snapshot(Snapshot(seen.html.replace("</body>", frame), seen.meta))
    (item,) = page.hidden
    assert (item.frame, item.reason) == ("https://ad.test/", "covered")


def test_unicode_tricks_are_taken_out_of_text_and_attributes() -> None:
    tags = "".join(chr(0xE0000 + ord(letter)) for letter in "obey")
    page = page_of(f"<p>price\u200b\u200b\u2060list{tags}</p><img src=/a.png alt='a pier{tags}'>")
    assert [(item.reason, item.chars) for item in page.hidden] == [("unicode", 7), ("unicode", 4)]
    assert "<p>pricelist</p>" in page.content["html"]
    assert 'alt="a pier"' in page.content["html"]
    assert tags not in page_bytes(page).decode()
    assert [notice.code for notice in page.warnings] == ["unicode_tricks"]
    entries = [entry for entry in page.ledger if entry.reason == "unicode"]
    assert sum(entry.chars for entry in entries) == page.stats.hidden_chars == 11


def test_letters_that_need_joiners_keep_them() -> None:
    page = page_of("<p lang=fa>می\u200cروم</p><p>👩\u200d🔬 e\u0301</p>")
    assert "می\u200cروم" in page.content["text"]
    assert "👩\u200d🔬 e\u0301" in page.content["text"]
    assert page.hidden == ()


def test_what_is_closed_and_not_wanted_is_no_hidden_text() -> None:
    html = "<p>Seen.</p><details><summary>More</summary><p>Closed words.</p><img src=/a alt=b></details>"
    page = filter_snapshot(filter_html(html).snapshot, collapsed="drop")
    assert page.hidden == ()
    assert [entry.rule for entry in page.ledger] == ["collapsed"]
    assert "img" not in page.content["html"]
