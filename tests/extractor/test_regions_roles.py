"""Each role by its shape and meaning, and a twin that looks alike and must not get it."""

from __future__ import annotations

import pytest

from tests.extractor.regions_reading import PARAGRAPH, SENTENCE, read

MAIN = f"<main><h1>Harbour</h1>{PARAGRAPH * 3}</main>"


def links(count: int, words: str = "place", href: str = "/p/{}") -> str:
    return "".join(f"<li><a href='{href.format(n)}'>{words} {n}</a></li>" for n in range(count))


def test_links_named_as_menu_are_navigation_and_a_list_of_dishes_is_not() -> None:
    page = read(
        f"<div class=main-menu><ul>{links(6, 'Section')}</ul></div><div class=menu><h1>Dinner</h1>"
        f"{PARAGRAPH}</div>"
    )
    assert page.roles("Section 1") == ["nav"]
    assert "link_share:1.00" in page.evidence("Section 1", "nav")
    assert page.in_main("Dinner")
    assert "nav" not in page.roles("Dinner")


def test_a_nav_that_tells_the_story_is_not_left_out() -> None:
    assert read(f"<nav><h1>Harbour</h1>{PARAGRAPH * 4}</nav>").in_main("blue ink")


def test_page_numbers_in_a_nav_are_pagination() -> None:
    numbers = "".join(f"<a href='/list?page={n}'>{n}</a> " for n in range(1, 6))
    page = read(f"{MAIN}<nav>{numbers}<a href='/list?page=2'>Next page</a></nav>")
    assert page.roles("Next page") == ["pagination"]


def test_a_nav_of_years_with_words_is_no_pagination() -> None:
    page = read(f"{MAIN}<nav>{links(5, 'The boats of')}</nav>")
    assert page.roles("The boats of 3") == ["nav"]


def test_links_to_headings_of_this_page_are_its_contents() -> None:
    heads = "".join(f"<h2 id=s{n}>Part {n}</h2>{PARAGRAPH}" for n in range(4))
    own = links(4, "Go to", "https://a.test/page#s{}")
    page = read(f"<main><ul>{own}</ul>{heads}</main>", url="https://a.test/page")
    assert page.roles("Go to 2")[-1] == "toc"
    assert page.in_main("Go to 2")
    other = links(4, "Go to", "https://a.test/other#s{}")
    twin = read(f"<main><ul>{other}</ul>{heads}</main>", url="https://a.test/page")
    assert "toc" not in twin.roles("Go to 2")


def test_links_to_where_pages_are_shared_are_a_share_bar_without_any_name() -> None:
    bar = (
        "<div><a href='https://www.facebook.com/sharer/sharer.php?u=x'>Facebook</a> "
        "<a href='https://twitter.com/intent/tweet?url=x'>Twitter</a></div>"
    )
    page = read(f"<main><h1>Harbour</h1>{PARAGRAPH * 3}{bar}</main>")
    assert page.roles("Facebook") == ["main", "share"]
    assert not page.in_main("Facebook")


def test_a_paragraph_about_two_profiles_is_no_share_bar() -> None:
    page = read(
        f"<main>{PARAGRAPH * 2}<div class=text><a href='https://facebook.com/pier'>Facebook</a> and "
        f"<a href='https://twitter.com/pier'>Twitter</a> tell us who came. {SENTENCE}</div></main>"
    )
    assert page.in_main("Facebook")


def test_related_articles_are_aside_and_a_chapter_on_relations_is_not() -> None:
    cards = "".join(
        f"<div class=card><img src=/{n}.png alt=''><a href=/a/{n}>Story {n} of the pier</a></div>"
        for n in range(4)
    )
    page = read(
        f"<main><h1>Harbour</h1>{PARAGRAPH * 4}<div><h3>Related articles</h3>{cards}</div></main>"
    )
    assert page.roles("Story 2")[:2] == ["main", "aside"]
    assert not page.in_main("Story 2")
    assert "lead:aside" in page.evidence("Story 2", "aside")
    twin = read(
        f"<main><h1>Harbour</h1>{PARAGRAPH * 4}<div class=related><h3>Related disciplines</h3>"
        f"<p>Chandlery is close to rope making. {SENTENCE}</p></div></main>"
    )
    assert twin.in_main("Chandlery")


def test_comments_below_an_article_are_a_region_that_stays_in_main() -> None:
    talk = "".join(
        f"<li class=c><b>Ann {n}</b><p>I saw that ship as well. {SENTENCE}</p></li>"
        for n in range(4)
    )
    page = read(
        f"<main><h1>Harbour</h1>{PARAGRAPH * 4}<div id=comments><h3>4 comments</h3><ol>{talk}</ol></div></main>"
    )
    assert page.roles("Ann 2")[:2] == ["main", "comments"]
    assert page.in_main("Ann 2")


def test_posts_of_a_forum_are_the_content_and_no_comments() -> None:
    posts = "".join(f"<div class='post comment'><b>Ann {n}</b>{PARAGRAPH}</div>" for n in range(6))
    page = read(f"<nav><a href=/>Board</a></nav><div id=comments><h1>Which rope?</h1>{posts}</div>")
    assert page.roles("Which rope?") == ["main"] or page.roles("Which rope?") == ["main", "list"]
    assert all(page.in_main(f"Ann {n}") for n in range(6))


def test_results_are_a_list_and_paragraphs_are_not() -> None:
    cards = "".join(
        f"<div><h3><a href=/r{n}>Result {n}</a></h3><p>Short text {n}.</p></div>" for n in range(9)
    )
    page = read(f"<main><h1>Results</h1><div>{cards}</div></main>")
    assert "list" in page.roles("Result 4")
    assert "repeat:9" in page.evidence("Result 4", "list")
    assert page.in_main("Result 4")
    assert "list" not in read(f"<main><h1>Harbour</h1>{PARAGRAPH * 9}</main>").roles("blue ink")


def test_boxes_to_tick_are_a_search_part_and_a_form_to_fill_in_is_content() -> None:
    boxes = "".join(f"<label><input type=checkbox>Berth {n}</label>" for n in range(8))
    page = read(f"<div><b>Filter</b>{boxes}</div>{MAIN}")
    assert page.roles("Berth 3") == ["search"]
    fields = "".join(f"<p><label>Field {n} <input type=text></label></p>" for n in range(8))
    form = read(f"<main><h1>Berth request</h1><form>{fields}<textarea></textarea></form></main>")
    assert form.in_main("Field 3")


def test_a_page_that_is_one_form_keeps_it() -> None:
    fields = "".join(
        f"<label>Field {n}<select><option>Cod<option>Herring</select></label>" for n in range(8)
    )
    page = read(f"<form id=aspnet><h1>Berth request</h1>{fields}<button>Send</button></form>")
    assert page.in_main("Berth request")
    assert page.in_main("Field 3")


@pytest.mark.parametrize(
    ("words", "accept"),
    [
        ("We and 812 partners store cookies on your device.", "Accept all"),
        ("Wir und 812 Partner verwenden Cookies. Datenschutz ist wichtig.", "Alle akzeptieren"),
        ("Ce site utilise des cookies pour mesurer l'audience.", "Tout accepter"),
        ("Este sitio usa cookies propias y de terceros.", "Aceptar"),
        (
            "\u5f53\u30b5\u30a4\u30c8\u306f\u30af\u30c3\u30ad\u30fc\u3092\u4f7f\u7528\u3057\u307e\u3059\u3002",
            "\u540c\u610f\u3059\u308b",
        ),
        (
            "\u064a\u0633\u062a\u062e\u062f\u0645 \u0627\u0644\u0645\u0648\u0642\u0639 \u0645\u0644\u0641\u0627\u062a \u062a\u0639\u0631\u064a\u0641 \u0627\u0644\u0627\u0631\u062a\u0628\u0627\u0637",
            "\u0645\u0648\u0627\u0641\u0642",
        ),
    ],
)
def test_a_consent_bar_is_known_in_several_languages(words: str, accept: str) -> None:
    page = read(
        f"{MAIN}<div data-pf-pos=fixed data-pf-box='0,620,1280,100'><p>{words}</p>"
        f"<button>{accept}</button></div>",
        viewport=(1280, 720),
    )
    assert page.roles(words[:12]) == ["consent"]
    assert not page.in_main(words[:12])


def test_an_article_about_cookies_is_no_consent_box() -> None:
    page = read(
        f"<main class=cookie-guide><h1>What cookies are</h1><p>Consent to cookies is asked for in bars. "
        f"{SENTENCE}</p>{PARAGRAPH}<button>Subscribe</button></main>"
    )
    assert page.roles("What cookies are") == ["main"]


def test_a_sponsored_label_needs_a_small_block() -> None:
    page = read(f"{MAIN}<div class=ad-slot><span>Advertisement</span><a href=/x>Buy rope</a></div>")
    assert page.roles("Buy rope") == ["ad"]
    twin = read(f"<div class=ads><h1>Old advertisements</h1>{PARAGRAPH * 3}</div>")
    assert twin.in_main("Old advertisements")


def test_schema_types_speak_for_roles() -> None:
    page = read(
        f"{MAIN}<div itemscope itemtype='https://schema.org/BreadcrumbList'><a href=/>Home</a> "
        "<a href=/h>Harbours</a></div>"
    )
    assert page.roles("Harbours") == ["nav"]
    assert "schema:BreadcrumbList" in page.evidence("Harbours", "nav")
