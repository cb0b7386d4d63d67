"""Cards of a list: what is taken with what was judged main of them."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from api.demo import PAGES_DIR, shop_cards
from extractor.pipeline import judged
from extractor.regions.cards import with_names_and_prices
from extractor.regions.features import measure
from extractor.static import snapshot_from_bytes
from extractor.tree import TEXT, parse
from extractor.units import visible_chars
from extractor.visibility import judge

SHOP = "Copper lamp {n}", "£{n}.50", "Rated {n} of 5 by nine", "Add to basket"


def shop(n: int) -> str:
    name, price, rating, button = (each.format(n=n) for each in SHOP)
    return (
        f'<li class="card"><a href="/{n}"><img src="/{n}.png" alt="seen from above"><h3>{name}</h3></a>'
        f"<p>{price}</p><p>{rating}</p><button>{button}</button></li>"
    )


def news(n: int) -> str:
    return (
        f'<article class="card"><a href="/{n}"><h3>Tide {n} came in</h3></a>'
        f"<p>The bar was closed for {n} hours.</p><time>{n} May</time></article>"
    )


def post(n: int) -> str:
    return (
        f'<article class="post"><h3><a href="/{n}">Answer {n}</a></h3><p>£{n}.50 is what it was.</p>'
        f"<p>{'The clerk wrote it down. ' * 20}</p></article>"
    )


def taken(card: Callable[[int], str], count: int, judged_main: Callable[[str], bool]) -> list[str]:
    """Texts that are main in a list of ``count`` cards where those that ``judged_main`` says were."""
    tree = parse(f"<html><body><ul>{''.join(card(n + 1) for n in range(count))}</ul></body></html>")
    features = measure(tree, visible_chars(tree, judge(tree).state))
    main = [
        any(map(judged_main, filter(None, tree.text[node : tree.end[node]])))
        for node in range(len(tree))
    ]
    main = with_names_and_prices(tree, features, main)
    texts = [node for node, tag in enumerate(tree.tag) if tag == TEXT]
    for node in texts:
        assert not main[node] or main[tree.parent[node]]
    return [tree.text[node] for node in texts if main[node]]


def test_of_what_is_for_sale_names_and_prices_are_main() -> None:
    wanted = [each.format(n=n) for n in range(1, 7) for each in SHOP[:3]]
    assert taken(shop, 6, lambda text: "Rated" in text) == wanted


def test_of_other_cards_the_headings_are() -> None:
    wanted = [
        each
        for n in range(1, 7)
        for each in (f"Tide {n} came in", f"The bar was closed for {n} hours.")
    ]
    assert taken(news, 6, lambda text: "bar" in text) == wanted


@pytest.mark.parametrize(
    ("card", "count", "word"),
    [
        pytest.param(shop, 4, "Rated", id="few"),
        pytest.param(post, 8, "clerk", id="long"),
        pytest.param(shop, 6, "Rated 2", id="one of them touched"),
        pytest.param(news, 6, "May", id="little of each"),
    ],
)
def test_others_stay_as_they_were_judged(card: Callable[[int], str], count: int, word: str) -> None:
    found = taken(card, count, lambda text: word in text)
    assert found
    assert all(word in text for text in found)


def test_the_shop_is_read_with_names_and_prices() -> None:
    page = (PAGES_DIR / "shop.html").read_text("utf-8").replace("<!-- cards -->", shop_cards(60))
    found = judged(snapshot_from_bytes(page.encode(), url="https://shop.example/"))
    tree = found.doc.tree
    main = [tree.text[node] for node, is_main in enumerate(found.regions.main) if is_main]
    wanted = re.findall("<h3>(.+?)</h3>|<p class=.price.>(.+?)</p>", page)
    assert len(wanted) == 120
    assert [
        text for text in main if text in {each for pair in wanted for each in pair if each}
    ] == [name or price for name, price in wanted]
