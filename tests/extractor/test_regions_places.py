"""Regions by place, at two widths and in both directions of writing, and without any boxes."""

from __future__ import annotations

import pytest

from tests.extractor.regions_reading import PARAGRAPH, read

JAPANESE = "<p>\u4fc2\u54e1\u306f\u8239\u3054\u3068\u306b\u7a4d\u8377\u3068\u51fa\u6e2f\u5730\u3092\u9752\u3044\u30a4\u30f3\u30af\u3067\u8a18\u9332\u3059\u308b\u3002\u9ed2\u306f\u4e00\u5e74\u3067\u8584\u304f\u306a\u308b\u304b\u3089\u3060\u3002</p>"
ARABIC = "<p>\u064a\u0643\u062a\u0628 \u0627\u0644\u0643\u0627\u062a\u0628 \u0627\u0633\u0645 \u0643\u0644 \u0633\u0641\u064a\u0646\u0629 \u0641\u064a \u0627\u0644\u062f\u0641\u062a\u0631 \u0628\u0627\u0644\u062d\u0628\u0631 \u0627\u0644\u0623\u0632\u0631\u0642. \u0648\u0644\u0627 \u064a\u0646\u0633\u0649 \u0645\u064a\u0646\u0627\u0621 \u0627\u0644\u0631\u062d\u064a\u0644.</p>"
MAIN = f"<main><h1>Harbour</h1>{PARAGRAPH * 3}</main>"


@pytest.mark.parametrize("width", [400, 1280])
def test_a_fixed_shell_with_the_page_in_it_is_main_and_no_overlay(width: int) -> None:
    page = read(
        f"<div id=app data-pf-pos=fixed data-pf-box='0,0,{width},720'>{MAIN}<p>shell words</p></div>"
        f"<div role=dialog aria-label=Cookies data-pf-pos=fixed data-pf-box='0,600,{width},120'>"
        "<p>We and 812 partners store data.</p><button>Accept all</button></div>",
        viewport=(width, 720),
    )
    assert page.in_main("blue ink")
    assert "overlay" not in page.roles("blue ink")
    assert page.roles("812 partners") == ["consent"]


@pytest.mark.parametrize("width", [400, 1280])
def test_a_box_over_most_of_the_page_is_an_overlay(width: int) -> None:
    page = read(
        f"{MAIN}<div data-pf-pos=fixed data-pf-box='0,0,{width},720'><p>Win a kettle today</p></div>",
        viewport=(width, 720),
    )
    assert page.roles("Win a kettle") == ["overlay"]
    assert not page.in_main("Win a kettle")


def test_a_modal_dialog_is_a_dialog_and_the_page_below_stays_main() -> None:
    page = read(
        f"{MAIN}<dialog open data-pf-pos=fixed data-pf-box='200,100,800,500'><h2>Terms</h2>"
        f"{PARAGRAPH * 2}</dialog>",
        viewport=(1280, 720),
    )
    assert page.roles("Terms") == ["dialog"]
    assert page.in_main("Harbour")


@pytest.mark.parametrize(("x", "direction"), [(0, "rtl"), (1000, "ltr")])
def test_a_narrow_column_of_links_is_aside_on_either_side(x: int, direction: str) -> None:
    links = "".join(f"<li><a href=/s{n}>Side story {n}</a></li>" for n in range(6))
    page = read(
        f"<div dir={direction}><main data-pf-box='280,0,720,2000'><h1>Harbour</h1>{PARAGRAPH * 4}</main>"
        f"<div class=latest-posts data-pf-box='{x},0,280,900'><ul>{links}</ul></div></div>",
        viewport=(1280, 720),
    )
    assert page.roles("Side story 2")[0] == "aside"
    assert "box:side_column" in page.evidence("Side story 2", "aside")


def test_a_narrow_column_of_text_is_content() -> None:
    page = read(
        f"<main><div data-pf-box='0,0,300,2000'><h1>Left</h1>{PARAGRAPH * 2}</div>"
        f"<div data-pf-box='900,0,300,2000'><h2>Right</h2>{PARAGRAPH * 2}</div></main>",
        viewport=(1280, 720),
    )
    assert page.in_main("Left")
    assert page.in_main("Right")


@pytest.mark.parametrize(
    ("text", "menu"), [(JAPANESE, "\u6e2f"), (ARABIC, "\u0645\u064a\u0646\u0627\u0621")]
)
@pytest.mark.parametrize("viewport", [None, (400, 720), (1280, 720)])
def test_main_is_found_in_scripts_without_spaces_and_from_right_to_left(
    text: str, menu: str, viewport: tuple[int, int] | None
) -> None:
    nav = "".join(f"<li><a href=/{n}>{menu} {n}</a></li>" for n in range(12))
    page = read(
        f"<div class=menu><ul>{nav}</ul></div><div><h1>{menu}</h1>{text * 6}</div>",
        viewport=viewport,
    )
    words = text[3:12]
    assert page.in_main(words)
    assert not page.in_main(f"{menu} 7")


def test_related_stories_are_known_in_japanese() -> None:
    cards = "".join(f"<li><a href=/{n}>\u6e2f\u306e\u671d {n}</a></li>" for n in range(5))
    page = read(
        f"<main><h1>\u6e2f</h1>{JAPANESE * 12}<div><h3>\u95a2\u9023\u8a18\u4e8b</h3><ul>{cards}</ul></div></main>"
    )
    assert not page.in_main("\u6e2f\u306e\u671d 3")
