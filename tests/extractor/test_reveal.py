"""What hides most of a page is not believed where no script can ever show it."""

from __future__ import annotations

import pytest

from extractor.static import snapshot_from_bytes

STORY = " ".join(f"Sentence {n} of the story says something of its own." for n in range(60))
SECRET = "Never meant to be read."


def _html(body: str, head: str = "") -> str:
    source = f"<!doctype html><html><head><title>t</title>{head}</head><body>{body}</body></html>"
    return snapshot_from_bytes(
        source.encode(), url="https://shop.example/", content_type="text/html"
    ).html


def _hides(html: str, start: str) -> bool:
    """Whether an element with a mark of what is hidden is written in place of the text."""
    return start not in html.split("</title>", 1)[1] or 'data-pf-h="' in html.split(start)[0]


@pytest.mark.parametrize(
    "wrapper",
    [
        '<div style="opacity:0">',
        '<div style="visibility:hidden">',
        '<div style="opacity: 0; transform: translateY(40px)">',
        '<div style="display:none">',
        "<div hidden>",
        '<div hidden id="S:0">',
    ],
)
def test_a_page_that_its_markup_hides_as_a_whole_is_shown(wrapper: str) -> None:
    html = _html(f"<header>Shop</header>{wrapper}<p>{STORY}</p></div>")
    assert not _hides(html, "Sentence 1 of")
    assert not _hides(html, "Sentence 59 of")


def test_sections_that_fade_in_one_by_one_are_shown_together() -> None:
    parts = STORY.split(" Sentence ")
    sections = "".join(f'<section style="opacity:0"><p>Sentence {p}</p></section>' for p in parts)
    assert not _hides(_html(f"<h1>Title</h1>{sections}"), "Sentence 30 of")


def test_parts_that_a_server_sends_late_are_shown_however_short() -> None:
    html = _html(
        f'<p>{STORY}</p><!--$?--><template id="B:1"></template>'
        '<div hidden id="S:1"><p>Three in stock</p></div>'
    )
    assert not _hides(html, "Three in stock")


@pytest.mark.parametrize(
    "hidden",
    [
        f'<div style="display:none">{SECRET}</div>',
        f'<div style="opacity:0">{SECRET}</div>',
        f"<div hidden>{SECRET}</div>",
        f'<div style="display:none"><p>{SECRET} {STORY}</p></div>',
        f"<div hidden><p>{SECRET} {STORY}</p></div>",
        f"<dialog><p>{SECRET} {STORY}</p></dialog>",
    ],
)
def test_what_is_hidden_beside_a_page_that_can_be_read_stays_hidden(hidden: str) -> None:
    html = _html(f"<p>{STORY.replace('story', 'tale')}</p>{hidden}")
    assert _hides(html, SECRET)


@pytest.mark.parametrize("hidden", ['<div style="display:none">', "<div hidden>"])
def test_little_that_markup_hides_is_believed_on_a_page_with_less(hidden: str) -> None:
    assert _hides(_html(f"<p>Hi.</p>{hidden}{SECRET * 20}</div>"), SECRET)


def test_menus_beside_a_page_that_is_shown_again_stay_hidden() -> None:
    menu = "<div hidden><p>A menu of a few words</p></div>"
    html = _html(f"<div hidden><p>{STORY}</p></div>{menu}")
    assert not _hides(html, "Sentence 5 of")
    assert _hides(html, "A menu of a few")
