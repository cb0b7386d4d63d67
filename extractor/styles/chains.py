"""Selectors with several parts, matched in time that grows with the page and not with a power of it.

lexbor tries many ways in which a chain of ancestors or siblings could be satisfied, and lets nothing else
run meanwhile: ``x div div div p`` on a page of a few hundred nested elements takes it minutes; and some ways
it misses. So each part is matched alone, and the parts are joined over the arrays.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable
from itertools import accumulate

from extractor.tree import TEXT, Tree

#: One part after the other: how it is joined to the part before (`` ``, ``>``, ``+``, ``~``), and its text.
Links = list[tuple[str, str]]

_JOINT = re.compile(r"\s*([>+~])\s*|\s+")
_STRINGS = re.compile(r"\"[^\"]*\"|'[^']*'|\[[^\]]*\]")
#: Brackets, strings and escapes, in which a joint says nothing.
_UNITS = re.compile(r"[\"'(\[\\]")
_ESCAPE = re.compile(r"\\(?:[0-9a-f]{1,6}\s?|.|$)", re.I | re.S)
_INSIDE = re.compile(r":has\(|[\w\])*]\s+(?=[\w.#\[:*])|[~+]", re.I)
_DEEPEST = 8
#: Steps that a function may take in all, such as ``:has`` on every element.
_MOST_STEPS = 2_000_000


class Chains:
    """Matches selectors on a tree; ``match`` gives the nodes for a part without combinators."""

    def __init__(self, tree: Tree, match: Callable[[str], Iterable[int]]) -> None:
        self._tree, self._match = tree, match
        self._parts: dict[str, frozenset[int]] = {}
        self._depth = 0

    def too_costly(self, selector: str) -> bool:
        """Whether what stands in its brackets could take a power of the page's size."""
        plain = _STRINGS.sub("[]", selector)
        if "(" not in plain:
            return False
        if max(accumulate((char == "(") - (char == ")") for char in plain)) > _DEEPEST:
            return True
        inside = "".join(text for text in _in_brackets(plain))
        inside += ":has(" * plain.lower().count(":has(")
        steps = len(self._tree)
        for _ in range(len(_INSIDE.findall(inside))):
            steps *= self._longest_path()
        return steps > max(_MOST_STEPS, len(self._tree))

    def found(self, links: Links) -> list[int]:
        """The nodes that a chain ends in, in document order."""
        current: Iterable[int] = self._part(links[0][1])
        for joint, part in links[1:]:
            if not current:
                return []
            current = _joined(self._tree, set(current), joint, self._part(part))
        return sorted(current)

    def _part(self, text: str) -> frozenset[int]:
        if text not in self._parts:
            self._parts[text] = frozenset(self._match(text))
        return self._parts[text]

    def _longest_path(self) -> int:
        if not self._depth:
            depths = [0] * len(self._tree)
            for node, parent in enumerate(self._tree.parent):
                depths[node] = depths[parent] + 1 if parent >= 0 else 0
            self._depth = max(depths, default=0) + 1
        return self._depth


def links_of(selector: str) -> Links | None:
    """The parts of one selector; ``None`` if it begins or ends with a combinator."""
    links: Links = []
    joint, start, at = "", 0, 0
    text = selector.strip()
    if _UNITS.search(text) is None:
        pieces = _JOINT.split(text)
        joints = (joint or " " for joint in pieces[1::2])
        links = list(zip(("", *joints), pieces[::2], strict=True))
        return links if all(pieces[::2]) else None
    while at < len(text):
        end = _end_of_unit(text, at)
        found = _JOINT.match(text, at) if end == at else None
        if found is not None:
            links.append((joint, text[start:at]))
            joint, start = found[1] or " ", found.end()
        at = max(end, found.end() if found else at + 1)
    links.append((joint, text[start:]))
    return links if all(part for _, part in links) else None


def _end_of_unit(text: str, at: int) -> int:
    """Where a bracket, string or escape that begins here ends; ``at`` itself if none does."""
    if escape := _ESCAPE.match(text, at):
        return escape.end()
    if text[at] in "\"'":
        return text.find(text[at], at + 1) % (len(text) + 1) + 1
    if text[at] not in "([":
        return at
    depth = 0
    while at < len(text):
        if text[at] in "\"'\\":
            at = _end_of_unit(text, at)
            continue
        depth += (text[at] in "([") - (text[at] in ")]")
        at += 1
        if not depth:
            break
    return at


def _in_brackets(text: str) -> Iterable[str]:
    depth = 0
    for char in text:
        depth += char == "("
        if depth:
            yield char
        depth -= char == ")"


def _joined(tree: Tree, left: set[int], joint: str, right: Iterable[int]) -> list[int]:
    """Those of ``right`` that stand to one of ``left`` as ``joint`` says."""
    parent = tree.parent
    if joint == ">":
        return [node for node in right if parent[node] in left]
    if joint == " ":
        starts = sorted(left)
        ends = list(accumulate((tree.end[node] for node in starts), max))
        return [node for node in right if _inside(starts, ends, node)]
    first: dict[int, int] = {}
    for node in sorted(left, reverse=True):
        first[parent[node]] = node
    if joint == "~":
        return [node for node in right if first.get(parent[node], node) < node]
    return [node for node in right if _before(tree, node) in left]


def _inside(starts: list[int], ends: list[int], node: int) -> bool:
    before = bisect_right(starts, node - 1)
    return before > 0 and ends[before - 1] > node


def _before(tree: Tree, node: int) -> int:
    """The element before one among its siblings, or -1. Steps over texts, of which two never touch."""
    at = node - 1
    while at > tree.parent[node]:
        while tree.parent[at] != tree.parent[node]:
            at = tree.parent[at]
        if tree.tag[at] != TEXT:
            return at
        at -= 1
    return -1
