"""What can be measured of each subtree: flat arrays, one entry a node, in three linear passes.

Text counts by script: a character of Chinese, Japanese or Korean says as much as ``CJK_WEIGHT`` letters
of an alphabet, and a sentence ends at the full stop of its own script. Words are never counted by spaces.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from extractor.regions.repetition import Shapes
from extractor.tree import TEXT, Attrs, Tree
from extractor.units.blocks import INLINE

CJK_WEIGHT = 2.5
#: Weighted characters outside links that make a block running text: with a sentence end, and without.
SENTENCE_PROSE, PLAIN_PROSE = 50, 140
_CJK = re.compile(
    "[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003134f]"
)
_SENTENCE_END = re.compile(
    "[.!?\u2026\u061f\u06d4\u0964](?=[\\s\"'\u201d\u2019)\\]]|\\Z)|[\u3002\uff01\uff1f]"
)
_LINKS = frozenset({"a", "button", "summary"})
#: Words that are there to be pressed or chosen, not read.
_CHOICES = frozenset({"label", "option", "legend"})
_CONTROLS = frozenset({"input", "select", "textarea", "option"})
_TYPED = frozenset({"text", "email", "tel", "number", "password", "date", "url", "search"})
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_IMAGES = frozenset({"img", "picture", "video", "canvas", "svg", "iframe", "pf-frame"})


@dataclass(frozen=True, slots=True)
class Features:
    """One entry a node. Counts are of the whole subtree and of what can be seen.

    ``tag`` is the page's own tag; ``chars`` visible code points; ``links`` those inside links, buttons,
    labels and options; ``link_count`` the number of links; ``prose`` the weighted characters of running
    text (sentences outside links); ``controls``, ``entries`` (those that are typed into), ``headings`` and
    ``images`` count elements; ``first_text`` is the first visible text node or 0; ``repeat`` the size of
    the largest group of like children. ``body`` is the node whose own paragraphs say most, ``body_prose``
    how much they say: what an article has and a page of cards has not.
    """

    tag: list[str]
    chars: Sequence[int]
    links: list[int]
    link_count: list[int]
    prose: list[int]
    controls: list[int]
    entries: list[int]
    headings: list[int]
    images: list[int]
    first_text: list[int]
    repeat: list[int]
    body: int
    body_prose: int

    def link_share(self, node: int) -> float:
        """Share of a subtree's characters that stand in links, 0 to 1."""
        return self.links[node] / max(self.chars[node], 1)


def weight(text: str) -> int:
    """How much a text says, in letters of an alphabet."""
    if text.isascii():
        return len(text)
    return len(text) + int((CJK_WEIGHT - 1) * len(_CJK.findall(text)))


def measure(tree: Tree, chars: Sequence[int]) -> Features:
    """Measure every node of a judged document. ``chars`` are its visible code points. Linear."""
    size = len(tree)
    tags = _page_tags(tree)
    prose = _running_text(tree, tags, chars)
    body, body_prose = _body(tree, prose)
    links, link_count, controls, entries, headings, images, first, repeat = (
        [0] * size for _ in range(8)
    )
    found = Features(
        tags, chars, links, link_count, prose, controls, entries, headings, images, first, repeat,
        body, body_prose,
    )  # fmt: skip
    _sum_up(tree, found)
    return found


def _page_tags(tree: Tree) -> list[str]:
    tags = list(tree.tag)
    for node, attrs in enumerate(tree.attrs):
        if attrs and "data-pf-tag" in attrs:
            tags[node] = attrs["data-pf-tag"]
    return tags


def _running_text(tree: Tree, tags: list[str], chars: Sequence[int]) -> list[int]:
    """For each block the weight of its own sentences, links left out."""
    size = len(tree)
    block, linked = [0] * size, [False] * size
    plain, link, sentence = [0] * size, [0] * size, [False] * size
    parent, text = tree.parent, tree.text
    for node in range(1, size):
        above = parent[node]
        tag = tags[node]
        if tag == TEXT:
            if chars[node]:
                at = block[above]
                if linked[above]:
                    link[at] += chars[node]
                else:
                    data = text[node]
                    plain[at] += chars[node] if data.isascii() else weight(data.strip())
                    if not sentence[at] and _SENTENCE_END.search(data):
                        sentence[at] = True
            continue
        block[node] = block[above] if tag in INLINE else node
        linked[node] = linked[above] or tag in _LINKS or tag in _CHOICES
    return [
        own if own >= SENTENCE_PROSE and own > linked and (ended or own >= PLAIN_PROSE) else 0
        for own, linked, ended in zip(plain, link, sentence, strict=True)
    ]


def _body(tree: Tree, prose: list[int]) -> tuple[int, int]:
    """The node whose children, and to a lesser degree grandchildren, hold most running text."""
    direct: dict[int, int] = {}
    for node, own in enumerate(prose):
        if own:
            above = tree.parent[node]
            direct[above] = direct.get(above, 0) + own
            further = tree.parent[above] if above >= 0 else -1
            direct[further] = direct.get(further, 0) + own // 2
    direct.pop(-1, None)
    if not direct:
        return 0, 0
    best = max(direct, key=lambda node: (direct[node], -node))
    return best, direct[best]


def _sum_up(tree: Tree, found: Features) -> None:
    """From the leaves up: sums of subtrees, first texts, and groups of like children."""
    tags, parent, chars, attrs = found.tag, tree.parent, found.chars, tree.attrs
    links, link_count, prose = found.links, found.link_count, found.prose
    controls, entries, headings = found.controls, found.entries, found.headings
    images, first = found.images, found.first_text
    shapes = Shapes(len(tree), found.repeat)
    for node in range(len(tree) - 1, 0, -1):
        above, tag = parent[node], tags[node]
        if tag == TEXT:
            if chars[node]:
                first[above] = node
            continue
        if tag in _LINKS:
            links[node] = chars[node]
            link_count[node] = 1
        elif tag in _CONTROLS:
            controls[node] += 1
            entries[node] += _is_entry(tag, attrs[node])
            links[node] = chars[node]
        elif tag in _CHOICES:
            links[node] = chars[node]
        elif tag in _HEADINGS:
            headings[node] += 1
        elif tag in _IMAGES:
            images[node] += 1
        if images[node]:
            images[above] += images[node]
        if controls[node]:
            controls[above] += controls[node]
            entries[above] += entries[node]
        if chars[node]:
            first[above] = first[node]
            links[above] += links[node]
            link_count[above] += link_count[node]
            prose[above] += prose[node]
            headings[above] += headings[node]
            shapes.add(node, above, tag, attrs[node])


def _is_entry(tag: str, attrs: Attrs | None) -> bool:
    if tag == "textarea":
        return True
    return tag == "input" and (attrs or {}).get("type", "text").lower() in _TYPED
