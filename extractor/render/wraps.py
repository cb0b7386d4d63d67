"""Markup that stands around stretches of text, by the elements that they stand in."""

from __future__ import annotations

import re
from typing import NamedTuple

from extractor.render.escape import link_target, link_title
from extractor.tree import TEXT, semantic
from extractor.unhide import LABEL
from extractor.units import Doc

_KINDS = {
    "a": "link", "button": "button", "del": "del", "s": "del", "strike": "del", "strong": "strong",
    "b": "strong", "em": "em", "i": "em", "code": "code", "kbd": "code", "samp": "code", "tt": "code",
    "sup": "sup", "sub": "sub", "rt": "rt",
}  # fmt: skip
_RANK = {name: rank for rank, name in enumerate(
    ("link", "hidden", "sr", "button", "del", "strong", "em", "sup", "sub", "rt", "code"))}  # fmt: skip
MARKS = {"del": "~~", "strong": "**", "em": "*"}
#: Kinds whose neighbours must not be joined into one.
_SINGLE = frozenset({"link", "button", "code", "sup", "sub", "rt", "sr", "hidden"})
#: Kinds that plain text has too.
_PLAIN = frozenset({"sup", "sub", "rt", "sr", "hidden"})
_SIMPLE = re.compile(r"[-+\u2212]?\w+\Z")


class Wrap(NamedTuple):
    """Markup around a stretch of text; ``close`` is written when the stretch ends."""

    kind: str
    node: int
    open: str
    close: str

    def joins(self, other: Wrap) -> bool:
        return self.kind == other.kind and (self.kind not in _SINGLE or self.node == other.node)


def wraps_of(doc: Doc, *, markdown: bool) -> dict[int, tuple[Wrap, ...]]:
    """For each element, the markup around text that stands in it; only those that have any.

    Of each kind there is one at most: the outermost.
    """
    tree, found = doc.tree, dict[int, tuple[Wrap, ...]]()
    kinds = {tag for tag, kind in _KINDS.items() if markdown or kind in _PLAIN}
    for node, tag in enumerate(tree.tag):
        if tag == TEXT or not node:
            continue
        attrs = tree.attrs[node]
        if attrs:
            tag = attrs.get("data-pf-tag", tag)
        inherited = found.get(tree.parent[node], ())
        # Most elements have no markup of their own.
        if tag in kinds or attrs and "data-pf-l" in attrs:
            for wrap in _own(doc, node, markdown=markdown):
                if all(other.kind != wrap.kind for other in inherited):
                    inherited = tuple(sorted((*inherited, wrap), key=lambda each: _RANK[each.kind]))
        if inherited:
            found[node] = inherited
    return found


def _own(doc: Doc, node: int, *, markdown: bool) -> list[Wrap]:
    found = []
    labels = (doc.tree.attrs[node] or {}).get("data-pf-l", "").split()
    if "sr_only" in labels:
        found.append(Wrap("sr", node, "(sr-only: ", ")"))
    for label in labels:
        if label.startswith(LABEL):
            found.append(Wrap("hidden", node, f"(hidden, {label[len(LABEL) :]}: ", ")"))
    kind = _KINDS.get(semantic(doc.tree, node))
    if kind is None or not markdown and kind not in _PLAIN:
        return found
    if kind == "link":
        found += _link(doc, node)
    elif kind in ("sup", "sub"):
        simple = _SIMPLE.match("".join(doc.tree.text[node + 1 : doc.tree.end[node]]).strip())
        sign = "^" if kind == "sup" else "_"
        found.append(Wrap(kind, node, sign + ("" if simple else "("), "" if simple else ")"))
    elif kind == "rt":
        if not _has_brackets(doc, node):
            found.append(Wrap(kind, node, "(", ")"))
    elif kind != "button" or doc.tree.end[node] > node + 1:
        mark = MARKS.get(kind, "")
        ends = ("[", "]") if kind == "button" else (mark, mark)
        found.append(Wrap(kind, node, *ends))
    return found


def _link(doc: Doc, node: int) -> list[Wrap]:
    attrs = doc.attrs[node] or {}
    href = attrs.get("href") or attrs.get("data-pf-href")
    target = link_target(href, doc.base_url) if href else ""
    if not target:
        return []
    # A link without text or label is called by its title, which then need not stand twice.
    named = "aria-label" in attrs or any(doc.tree.text[node : doc.tree.end[node]])
    title = link_title(attrs.get("title", "")) if named else ""
    return [Wrap("link", node, "[", f"]({target}{title})")]


def _has_brackets(doc: Doc, reading: int) -> bool:
    """Whether the page itself writes brackets around a ruby reading (``rp`` that can be seen)."""
    tree = doc.tree
    above = tree.parent[reading]
    return any(
        tree.tag[node] == "rp"
        and any(
            doc.state[text] < 2 and tree.text[text].strip() for text in range(node, tree.end[node])
        )
        for node in range(above + 1, tree.end[above])
    )
