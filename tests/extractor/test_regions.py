"""Which part of a page is its content: meaning and text decide, never a class name alone."""

from __future__ import annotations

import re

from extractor import filter_html

PARAGRAPH = (
    "<p>" + "The clerk writes each ship and cargo into the ledger in blue ink. " * 4 + "</p>"
)


def _main(html: str) -> str:
    page = filter_html(html, url="https://a.test/", format="text", main_only=True)
    return re.sub(r"\[folded [^\]]*\]", "", page.content["text"])


def test_class_names_that_sound_like_menus_hold_content() -> None:
    main = _main(
        f"<div class=menu><h1>Dinner</h1>{PARAGRAPH}<section class=top><p>Starter words, a full "
        "sentence about leeks and almonds on toast.</p></section><section class=widget><p>Main course "
        'words, a full sentence about lamb and barley.</p></section><div class="bottom social"><p>'
        "Dessert words, a full sentence about quince and custard with salt.</p></div></div>"
    )
    for words in ("Dinner", "Starter words", "Main course words", "Dessert words"):
        assert words in main


def test_header_footer_and_aside_of_an_article_are_content() -> None:
    main = _main(
        "<header><nav><a href=/>Home</a></nav></header><form id=aspnet><input type=hidden "
        "name=__VIEWSTATE value=blob><main><article><header><h1>Headline words</h1><p>By A. Writer</p>"
        f"</header>{PARAGRAPH}<aside class=note><p>Safety note words.</p></aside><footer><p>Correction "
        "words.</p></footer></article></main></form><footer>Site copyright</footer>"
    )
    for words in ("Headline words", "By A. Writer", "blue ink", "Safety note", "Correction words"):
        assert words in main
    for words in ("Home", "Site copyright", "blob"):
        assert words not in main


def test_all_results_are_main_and_a_hidden_main_is_not() -> None:
    cards = "".join(
        f"<article><h2><a href=/r{n}>Result {n}</a></h2><p>Short text {n}.</p></article>"
        for n in range(1, 21)
    )
    main = _main(
        "<main hidden><p>Old cached shell words</p></main><div id=app><div role=main>"
        f"<h1>Results</h1>{cards}</div></div>"
    )
    assert all(f"Result {n}" in main and f"Short text {n}." in main for n in range(1, 21))
    assert "Old cached shell words" not in main


def test_several_visible_mains_are_all_kept_in_order() -> None:
    main = _main(f"<main><p>first words</p>{PARAGRAPH}</main><main><p>second words</p></main>")
    assert 0 <= main.find("first words") < main.find("second words")


def test_cookie_dialog_is_not_main() -> None:
    main = _main(
        f"<div id=app><main><h1>Harbour</h1>{PARAGRAPH}<p>shell words</p></main></div>"
        "<div id=cmp role=dialog aria-label=Cookies><p>We and 812 partners store data.</p>"
        "<button>Accept all</button></div>"
    )
    assert "shell words" in main
    assert "812 partners" not in main


def test_page_without_a_main_element_keeps_every_section_of_its_text() -> None:
    main = _main(
        f"<nav><a href=/>Home</a></nav><div><h1>Pier</h1>{PARAGRAPH}</div><div>{PARAGRAPH}"
        "<p>closing words of the page</p></div><footer>Site copyright</footer>"
    )
    assert "Pier" in main
    assert "closing words" in main
    assert "Site copyright" not in main
