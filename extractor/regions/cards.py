"""Cards of one list: what a name, a rating or a price of one is worth without the others."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import accumulate

from extractor.regions.features import Features
from extractor.regions.repetition import MANY
from extractor.tree import TEXT, Tree

#: A card says at most so many characters, on average over its list; longer items are posts or articles.
CARD_CHARS = 300
#: So many of a list's cards hold something main, and so much of their text is main, before more of it is.
TOUCHED_SHARE, MAIN_SHARE = 0.6, 0.3
#: So many of the cards have a heading or a picture, and a link; or a price, where things are for sale.
LIKE_SHARE = 0.8
#: What a card is acted on with stays what it was judged to be.
_CONTROLS = frozenset({"button", "select", "input", "textarea", "option"})
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
#: Signs and letters that money is written with, before or after the number.
_MONEY = r"[$\u00a2-\u00a5\u20a0-\u20cf]|\b(?:USD|EUR|GBP|CHF|JPY|CNY|INR|kr|zł|Kč|Ft|lei)\b"
_PRICE = re.compile(rf"(?:{_MONEY})\s?\d|\d\s?(?:{_MONEY})")


def whole_cards(tree: Tree, features: Features, main: list[bool]) -> list[bool]:
    """The same verdicts, changed in place, for lists of cards much of which is main.

    Where things are for sale all text of a card is main, for a price says nothing without its name, nor
    the name much without it; elsewhere the headings are. Linear in the number of nodes.
    """
    said = (
        features.chars[node] if main[node] and tag == TEXT else 0
        for node, tag in enumerate(tree.tag)
    )
    sums = [0, *accumulate(said)]
    for node, count in enumerate(features.repeat):
        if count < MANY:
            continue
        for cards in _lists_of(tree, features, node):
            if not _are_cards(features, cards) or not _much_is_main(tree, features, sums, cards):
                continue
            sold = _for_sale(tree, cards)
            for card in cards:
                _take(tree, features, card, main, sold=sold)
    return main


def _lists_of(tree: Tree, features: Features, parent: int) -> Iterator[list[int]]:
    """Children of one tag and class, where they are many."""
    alike = defaultdict[tuple[str, str], list[int]](list)
    child = parent + 1
    while child < tree.end[parent]:
        if features.chars[child] and tree.tag[child] != TEXT:
            attrs = tree.attrs[child]
            alike[tree.tag[child], attrs and attrs.get("class") or ""].append(child)
        child = tree.end[child]
    return (found for found in alike.values() if len(found) >= MANY)


def _are_cards(features: Features, cards: Sequence[int]) -> bool:
    many = LIKE_SHARE * len(cards)
    shown = sum(bool(features.headings[card] or features.images[card]) for card in cards)
    led = sum(bool(features.link_count[card]) for card in cards)
    said = sum(features.chars[card] for card in cards)
    return shown >= many and led >= many and said <= CARD_CHARS * len(cards)


def _much_is_main(
    tree: Tree, features: Features, sums: Sequence[int], cards: Sequence[int]
) -> bool:
    held = [sums[tree.end[card]] - sums[card] for card in cards]
    touched = sum(bool(each) for each in held)
    said = sum(features.chars[card] for card in cards)
    return touched >= TOUCHED_SHARE * len(cards) and sum(held) >= MAIN_SHARE * said


def _for_sale(tree: Tree, cards: Sequence[int]) -> bool:
    priced = (
        _PRICE.search("".join(tree.text[node] for node in range(card, tree.end[card])))
        for card in cards
    )
    return sum(each is not None for each in priced) >= LIKE_SHARE * len(cards)


def _take(tree: Tree, features: Features, card: int, main: list[bool], *, sold: bool) -> None:
    node, until = card, tree.end[card] if sold else card
    while node < tree.end[card]:
        if tree.tag[node] in _CONTROLS:
            node = tree.end[node]
            continue
        if tree.tag[node] in _HEADINGS and node >= until:
            until = tree.end[node]
            _around(tree, node, card, main)
        if node < until and features.chars[node]:
            main[node] = True
        node += 1


def _around(tree: Tree, node: int, card: int, main: list[bool]) -> None:
    """An element is main where anything in it is."""
    while node > card:
        node = tree.parent[node]
        main[node] = True
