"""Pages that a script would show: what hides most of a page is not believed.

Without a browser nothing ever takes it away: a fade-in on scroll, a guard against flicker, an application
that has not begun, parts that a server sends after the rest and a script puts in their place.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from itertools import accumulate

from extractor.static.document import Document
from extractor.static.kept import NEVER
from extractor.styles import Shown
from extractor.tree import TEXT, Tree

#: Reasons that scripts set back while a page is being read.
_FADING = frozenset({"opacity", "visibility", "transform", "offscreen", "clip"})
#: Ids of the hidden parts that React sends late and puts in place by a script.
_STREAMED = re.compile(r"S:[0-9a-f]+")
#: Markup hides few words on purpose: only where it would hide this many characters is it doubted, and
#: only where less than one in ten would be left to read is what it says outright (``display:none``,
#: ``hidden``) not believed.
_MUCH_CHARS = 1000
_LEFT = 0.1


def revealed(document: Document) -> tuple[Shown, int]:
    """The verdicts without those that would hide half the page's text or more, and how many went.

    Style rules are doubted sooner than what a page hides in its markup, by ``hidden`` or a ``style``
    attribute: see the constants. Linear.
    """
    shown, tree = document.shown, document.tree
    off = _hidden(tree, shown)
    if not off and not shown.subtree:
        return shown, 0
    sums = [0, *accumulate(_plain_chars(tree))]
    size = {node: sums[tree.end[node]] - sums[node] for node in (*shown.subtree, *off)}
    gone = _by_rules(document, size, sums[-1] / 2)
    gone |= _by_markup(document, off - gone, size, sums[-1], _outer(tree, size.keys() - gone))
    if not gone:
        return shown, 0
    kept = {node: reason for node, reason in shown.subtree.items() if node not in gone}
    hidden_text = shown.text
    if any(shown.subtree.get(node) == "visibility" for node in gone):
        hidden_text = {n: reason for n, reason in shown.text.items() if reason != "visibility"}
    displayed = shown.displayed | (gone & off)
    return replace(shown, subtree=kept, text=hidden_text, displayed=displayed), len(gone)


def _by_rules(document: Document, size: dict[int, int], half: float) -> set[int]:
    """What style rules hide and cannot mean: half the page at once, or half by what fades in."""
    subtree = document.shown.subtree
    ruled = [node for node in subtree if node not in document.inline]
    gone = {node for node in ruled if size[node] >= half > 0}
    fading = [node for node in ruled if subtree[node] in _FADING]
    if sum(size[node] for node in fading) >= half > 0:
        gone.update(fading)
    return gone


def _by_markup(
    document: Document, off: set[int], size: dict[int, int], whole: int, outer: set[int]
) -> set[int]:
    """What the markup itself hides and a script would show."""
    tree, subtree = document.tree, document.shown.subtree
    gone = {node for node in off if _STREAMED.fullmatch((tree.attrs[node] or {}).get("id", ""))}
    fading = {n for n in outer & document.inline if subtree.get(n) in _FADING}
    faded = sum(size[node] for node in fading)
    if faded >= max(whole / 2, _MUCH_CHARS):
        gone |= fading
    hidden = sum(size[node] for node in outer - gone)
    if hidden >= _MUCH_CHARS and whole - hidden < whole * _LEFT:
        said = outer & (off | document.inline)
        gone |= {node for node in said if size[node] >= whole * _LEFT}
    return gone


def _outer(tree: Tree, hidden: Iterable[int]) -> set[int]:
    """Those that stand in no other."""
    found: set[int] = set()
    end = 0
    for node in sorted(hidden):
        if node >= end:
            found.add(node)
            end = tree.end[node]
    return found


def _hidden(tree: Tree, shown: Shown) -> set[int]:
    """Elements with ``hidden`` that no style sheet shows."""
    return {
        node
        for node, attrs in enumerate(tree.attrs)
        if attrs is not None
        and "hidden" in attrs
        and attrs["hidden"] != "until-found"
        and node not in shown.displayed
    }


def _plain_chars(tree: Tree) -> list[int]:
    """Characters of text outside of links, by node."""
    found = [0] * len(tree)
    link = 0
    for node, tag in enumerate(tree.tag):
        if tag == "a":
            link = max(link, tree.end[node])
        elif tag == TEXT and node >= link and tree.tag[tree.parent[node]] not in NEVER:
            found[node] = len(tree.text[node].strip())
    return found
