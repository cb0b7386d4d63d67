"""What must hold of every page that was folded, checked from the outside: by parsing what was handed out.

Text is compared without white space, since markup alone decides where lines break.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from extractor.page import Page
from extractor.serialise import serialise
from extractor.tree import TEXT, Attrs, Tree, parse
from extractor.unicode_tricks import strip_tricks
from extractor.visibility import SR_ONLY_CHARS
from testbed.second_parser import justhtml_tree

MARKER = re.compile(r"""<pf-fold(?:[^>"]|"[^"]*")*></pf-fold>""")
_REF = re.compile(r' ref="([^"]*)"')
_AROUND = re.compile(r"(?s)^.*?<body[^>]*>|</body></html>$")
_CHARS = re.compile(r' chars="(\d+)"')


class StuckUnfold(Exception):
    """Unfolding within a budget does not come to an end: a unit is larger than the budget."""


def text_of(html: str) -> str:
    """Text of a document's body without white space."""
    return _squeezed(parse(html), hidden=True)


def visible_text_of(snapshot_html: str) -> str:
    """Text of a snapshot's body that its annotations do not call hidden, without white space and tricks."""
    return _squeezed(parse(snapshot_html), hidden=False)


def _squeezed(tree: Tree, *, hidden: bool) -> str:
    parts, node = [], 0
    while node < len(tree):
        tag, attrs = tree.tag[node], tree.attrs[node] or {}
        if tag == "title" or not hidden and _is_hidden(tree, node, attrs):
            node = tree.end[node]
            continue
        if tag == TEXT and (hidden or "data-pf-t" not in (tree.attrs[tree.parent[node]] or {})):
            text = tree.text[node]
            parts.append(text if hidden else strip_tricks(text).text)
        node += 1
    return re.sub(r"\s+", "", "".join(parts))


def _is_hidden(tree: Tree, node: int, attrs: Attrs) -> bool:
    """Whether a subtree is hidden, by its annotation or as an overlong label for screen readers."""
    if "data-pf-h" in attrs:
        return True
    if "sr_only" not in attrs.get("data-pf-l", "").split():
        return False
    return sum(len(text.strip()) for text in tree.text[node + 1 : tree.end[node]]) > SR_ONLY_CHARS


def is_fixpoint(html: str) -> bool:
    """Whether lexbor's parse, written by our serialiser, gives the same bytes again."""
    return serialise(parse(html)) == html


def agrees_with_second_parser(html: str) -> bool:
    """Whether an independent HTML5 parser builds the tree that lexbor builds."""
    first, second = parse(html), justhtml_tree(html)
    return (first.tag, first.end, first.text) == (second.tag, second.end, second.text)


def put_back(html: str, unfolded: Callable[[str], str]) -> str:
    """``html`` with each marker replaced by what ``unfolded`` gives for its ref, until none is left.

    Raises:
        StuckUnfold: a part folds into itself again and again.
    """
    while MARKER.search(html) is not None:
        html = MARKER.sub(lambda marker: _inside(unfolded, marker[0]), html)
    return html


def _inside(unfolded: Callable[[str], str], marker: str) -> str:
    ref = _REF.search(marker)
    if ref is None:
        return ""
    inside = _AROUND.sub("", unfolded(ref[1]))
    left = MARKER.findall(inside)
    # Every step must hand out something: fewer characters are left, or the same in a smaller range.
    if any(_REF.findall(each) == [ref[1]] for each in left) or _size(left) > _size([marker]):
        raise StuckUnfold(f"unfolding {ref[1]} gives it back")
    return inside


def _size(markers: list[str]) -> int:
    return sum(int(size) for marker in markers for size in _CHARS.findall(marker))


def sums_are_exact(page: Page) -> bool:
    """Whether visible = kept + folded, and the ledger's entries add up to both kinds of what went."""
    stats = page.stats
    folded = sum(entry.chars for entry in page.ledger if entry.ref)
    hidden = sum(entry.chars for entry in page.ledger if entry.rule == "hidden")
    kept_and_folded = stats.kept_chars + stats.folded_chars
    return (
        stats.visible_chars == kept_and_folded
        and folded == stats.folded_chars
        and hidden == stats.hidden_chars
    )
