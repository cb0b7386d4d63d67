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
#: Where so many of the cards have a price, things are for sale; a price is a short text of its own.
LIKE_SHARE, PRICE_CHARS = 0.8, 40
#: What a card is acted on with stays what it was judged to be.
_CONTROLS = frozenset({"button", "select", "input", "textarea", "option"})
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
#: Signs and letters that money is written with, before or after the number.
_SIGN = r"[$\u00a2-\u00a5\u20a0-\u20cf]"
_LETTERS = "(?:USD|EUR|GBP|CHF|JPY|CNY|INR|kr|zł|Kč|Ft|lei)"
_PRICE = re.compile(rf"(?:{_SIGN}|\b{_LETTERS})\s?\d|\d\s?(?:{_SIGN}|{_LETTERS}\b)")


def with_names_and_prices(tree: Tree, features: Features, main: list[bool]) -> list[bool]:
    """The same verdicts, changed in place, for lists of cards much of which is main.

    A card's headings become main, and where things are for sale its prices: neither says much without the
    other. Linear in the number of nodes.
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
            prices = [_prices(tree, features, card) for card in cards]
            sold = sum(map(bool, prices)) >= LIKE_SHARE * len(cards)
            for card, priced in zip(cards, prices, strict=True):
                for part in (*_headings(tree, card), *(priced if sold else ())):
                    _take(tree, features, card, part, main)
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


def _prices(tree: Tree, features: Features, card: int) -> list[int]:
    """The outermost elements of a card that say a price and little more, and are not pressed."""
    found = list[int]()
    node = card + 1
    while node < tree.end[card]:
        few = 0 < features.chars[node] <= PRICE_CHARS and tree.tag[node] != TEXT
        if tree.tag[node] in _CONTROLS:
            node = tree.end[node]
        elif few and _PRICE.search("".join(tree.text[node : tree.end[node]])):
            found.append(node)
            node = tree.end[node]
        else:
            node += 1
    return found


def _headings(tree: Tree, card: int) -> list[int]:
    return [node for node in range(card + 1, tree.end[card]) if tree.tag[node] in _HEADINGS]


def _take(tree: Tree, features: Features, card: int, part: int, main: list[bool]) -> None:
    """Make a part of a card main, and what stands around it: an element is main where anything in it is."""
    for node in range(part, tree.end[part]):
        main[node] = main[node] or features.chars[node] > 0
    while part > card:
        part = tree.parent[part]
        main[part] = True
