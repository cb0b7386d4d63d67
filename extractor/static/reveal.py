"""Pages that a script would show: style rules that hide most of the page are not believed.

Without a browser nothing ever takes such a rule away (fade-in on scroll, a guard against flicker, an empty
application). What a page hides in its markup, by ``hidden`` or a ``style`` attribute, stays hidden.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import accumulate

from extractor.static.document import Document
from extractor.static.kept import NEVER
from extractor.styles import Shown
from extractor.tree import TEXT, Tree

#: Reasons that scripts set back while a page is being read.
_FADING = frozenset({"opacity", "visibility", "transform", "offscreen", "clip"})


def revealed(document: Document) -> tuple[Shown, int]:
    """The verdicts without those that would hide half the page's text or more, and how many went."""
    shown = document.shown
    ruled = [node for node in shown.subtree if node not in document.inline]
    if not ruled:
        return shown, 0
    tree = document.tree
    sums = [0, *accumulate(_plain_chars(tree))]
    half = sums[-1] / 2
    size = {node: sums[tree.end[node]] - sums[node] for node in ruled}
    gone = {node for node in ruled if size[node] >= half > 0}
    fading = [node for node in ruled if shown.subtree[node] in _FADING]
    if sum(size[node] for node in fading) >= half > 0:
        gone.update(fading)
    if not gone:
        return shown, 0
    kept = {node: reason for node, reason in shown.subtree.items() if node not in gone}
    hidden_text = shown.text
    if any(shown.subtree[node] == "visibility" for node in gone):
        hidden_text = {n: reason for n, reason in shown.text.items() if reason != "visibility"}
    return replace(shown, subtree=kept, text=hidden_text), len(gone)


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
