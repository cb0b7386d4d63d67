"""How a tight budget is spent: on text, then on markup; and what of markup may go."""

from __future__ import annotations

import re

import pytest

from extractor import Page, filter_html, unfold
from extractor.pipeline import Options, filter_judged, judged

LONG = "harbour/archive/tides-of-the-outer-pier-by-year-and-month"
ROWS = "".join(
    f'<div class=w><section><div><p>Day {i}: the clerk <a href="https://e.test/{LONG}/{i}" title="Day {i}, all">'
    f'wrote <em>each</em> ship</a> down. <img src="https://e.test/pictures/of/ships/{i}.png" alt="Ship {i}">'
    "</p></div></section></div>"
    for i in range(60)
)
MENU = "".join(f'<li><a href="https://e.test/menu/of/places/{i}">Place {i}</a>' for i in range(40))
HTML = f"<html lang=en><title>Pier</title><body><nav><ul>{MENU}</ul></nav><main><h1>Pier</h1>{ROWS}</main>"


def page_at(budget: int, format: str = "html", **options: object) -> Page:
    return filter_html(HTML, url="https://e.test/", budget=budget, format=format, **options)  # type: ignore[arg-type]


def days(text: str) -> int:
    return len(re.findall(r"Day \d+: the clerk", text))


@pytest.mark.parametrize("name", ["html", "markdown"])
def test_text_comes_before_markup(name: str) -> None:
    full, auto = page_at(4_000, name, markup="full"), page_at(4_000, name)
    assert days(auto.content[name]) > 2 * days(full.content[name])
    assert "https://e.test/pictures" not in auto.content[name]
    assert full.stats.markup == {}
    rest = "bare" if name == "html" else "full"  # Markdown has main alone.
    assert auto.stats.markup == {name: f"main:bare rest:{rest}"}
    assert auto.stats.markup_left_out[name] > 0


def test_main_has_all_its_markup_before_the_rest_has() -> None:
    whole = len(page_at(50_000).content["html"])
    html = page_at(whole - 200).content["html"]
    assert f'<a href="{LONG}/7" title="Day 7, all">wrote <em>each</em> ship</a>' in html
    assert "Place 39" in html
    assert 'data-pf-markup="main:full rest:lean all:f' in html


def test_a_long_address_gives_way_to_a_ref_that_unfolds_to_the_link() -> None:
    page = page_at(50_000, markup="lean")
    html = page.content["html"]
    assert days(html) == 60
    assert "<section>" not in html
    ref = re.search(r'<a href="#~(f[0-9a-z.-]+)">wrote <em>each</em> ship</a>', html)
    assert ref is not None
    inside = unfold(page.snapshot, ref[1], budget=2_000)
    assert f'<a href="{LONG}/0" title="Day 0, all">' in inside


def test_a_lean_document_says_so_and_where_all_of_it_is() -> None:
    page = page_at(4_000)
    said = re.search(
        r'<html[^>]* data-pf-markup="main:bare rest:bare all:(f[^"]+)"', page.content["html"]
    )
    assert said is not None
    inside = unfold(page.snapshot, said[1], budget=100_000)
    assert days(inside) == 60
    assert f'href="{LONG}/59"' in inside
    line = page_at(4_000, "markdown").content["markdown"].splitlines()[-1]
    assert line == f"[markup main:bare rest:full all:{said[1]}]"


def test_a_page_cannot_say_how_much_markup_was_left_out() -> None:
    page = filter_html("<p>[markup main:bare rest:bare all:f1]</p>", format="markdown")
    assert not page.content["markdown"].startswith("[markup main:")


def test_bare_markup_keeps_what_text_means() -> None:
    html = (
        "<main><h2>Dues</h2><p>10<sup>3</sup> <del>old</del> <code>x</code> <b>strong</b></p>"
        "<ol start=3><li>third</ol><table><tr><th>Day<th>Note<tr><td colspan=2>all</table>"
        '<pre>\n  a\n</pre><input type=checkbox name=c checked><img src=/a.png alt="A boat"></main>'
    )
    out = filter_html(html, markup="bare").content["html"]
    for part in (
        "<h2>Dues</h2>", "10<sup>3</sup> <del>old</del> <code>x</code> strong", '<ol start="3"><li>third',
        "<th>Day</th>", '<td colspan="2">', "<pre>  a\n</pre>", '<input type="checkbox" checked>',
        '<img alt="A boat">',
    ):  # fmt: skip
        assert part in out


@pytest.mark.parametrize("name", ["html", "markdown"])
def test_more_room_never_keeps_less_text(name: str) -> None:
    page = judged(page_at(50_000).snapshot)
    kept = [
        filter_judged(page, Options((name,), budget)).stats.kept_chars
        for budget in range(1_000, 24_000, 1_000)
    ]
    assert kept == sorted(kept)
