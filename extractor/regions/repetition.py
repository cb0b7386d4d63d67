"""Lists of like items: children of one parent that have the same shape."""

from __future__ import annotations

from typing import TYPE_CHECKING

from extractor.regions.result import RegionNode
from extractor.tree import Attrs

if TYPE_CHECKING:
    from extractor.regions.features import Features

#: So many like children are a list; an item of one says at least so many characters.
MANY, ITEM_CHARS = 5, 8
#: An item of a plain ``ul`` or ``ol`` with nothing but text is a result or card from this size on.
RESULT_CHARS = 60
_PLAIN_LISTS = frozenset({"ul", "ol", "menu"})
_MASK = (1 << 61) - 1


#: Many of these in a row are running text or a table, not a list of things.
_TEXT_TAGS = frozenset(
    "p h1 h2 h3 h4 h5 h6 a span b i em strong code br hr pre blockquote tr td th thead tbody dt dd "
    "option label input figure".split()
)


class Shapes:
    """Counts like children, fed from the last node of a document to the first.

    Two children are alike when tag and class are the same; where there is no class, when the tags of
    their own children are (runs of one tag count once, so that a list of three items is like one of nine).
    """

    def __init__(self, size: int, repeat: list[int]) -> None:
        self._inside = [0] * size
        self._last = [""] * size
        self._groups: dict[tuple[int, str, str | int], int] = {}
        self._repeat = repeat

    def add(self, node: int, parent: int, tag: str, attrs: Attrs | None) -> None:
        """Count one element that holds text; its own children have been added before."""
        if self._last[parent] != tag:
            self._last[parent] = tag
            self._inside[parent] = (self._inside[parent] * 131 + hash_of(tag)) & _MASK
        alike = (parent, tag, attrs and attrs.get("class") or self._inside[node])
        count = self._groups[alike] = self._groups.get(alike, 0) + 1
        if count > self._repeat[parent] and tag not in _TEXT_TAGS:
            self._repeat[parent] = count


def hash_of(tag: str) -> int:
    """A number for a tag name that is the same in every run."""
    return int.from_bytes(tag.encode()[:7], "big")


def list_at(features: Features, node: int) -> RegionNode | None:
    """The region ``list`` at ``node``: five or more like items, each with a link, a heading or a picture.

    A plain list of words in an article is none.
    """
    items, chars = features.repeat[node], features.chars[node]
    if items < MANY or chars < items * ITEM_CHARS:
        return None
    led = features.link_count[node] >= 0.8 * items
    shown = features.headings[node] >= 0.8 * items or features.images[node] >= 0.8 * items
    if not led and not shown:
        return None
    if features.tag[node] in _PLAIN_LISTS and not shown and chars < items * RESULT_CHARS:
        return None
    found = [f"repeat:{items}"]
    found += ["items:links"] if led else []
    found += ["items:headings_or_images"] if shown else []
    return RegionNode(node, "list", 0.8 if led and shown else 0.65, tuple(found))
