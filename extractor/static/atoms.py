"""Elements that stand for themselves: pictures, media, drawings, formulas, form controls.

What becomes of each is what the page script makes of it (``js/atoms.js``).
"""

from __future__ import annotations

import re

from extractor.static.addresses import Base
from extractor.tree import TEXT, Attrs, Tree

_NONE: Attrs = {}
_LAZY = ("data-src", "data-original", "data-lazy-src", "data-lazy", "data-url")
_STAND_IN = re.compile(r"placeholder|blank|spacer|loading|lazy|1x1|transparent|pixel", re.I)
_LEAVES = frozenset({"mi", "mn", "mo", "ms", "mtext"})
_TYPESET = frozenset({"katex", "MathJax", "MathJax_Display", "MathJax_SVG", "MathJax_CHTML"})


def leaf(attrs: Attrs, text: str) -> Tree:
    """A ``span`` with one text, or none."""
    held: list[Attrs | None] = [attrs]
    if not text:
        return Tree(["span"], [-1], [1], held, [""])
    return Tree(["span", TEXT], [-1, 0], [2, 2], [*held, None], ["", text])


def text_inside(tree: Tree, node: int) -> str:
    """All text of a subtree with white space collapsed."""
    return " ".join("".join(tree.text[node : tree.end[node]]).split())


def image_address(attrs: Attrs, base: Base) -> str:
    """The picture that would be shown in the end: lazy ones before their stand-ins."""
    source = attrs.get("src", "").strip() or _first_of(attrs.get("srcset", ""))
    later = next((attrs[name] for name in _LAZY if attrs.get(name)), "")
    later = later or _first_of(attrs.get("data-srcset", ""))
    if later and (not source or source.startswith("data:") or _STAND_IN.search(source)):
        source = later
    return base.absolute(source) if source else ""


def _first_of(candidates: str) -> str:
    words = re.split(r"[\s,]", candidates.strip(), maxsplit=1)
    return words[0] if words else ""


def drawing(tree: Tree, node: int) -> tuple[Tree | None, int]:
    """An ``svg`` as its label and text, and how many characters of paths went; ``None`` when it says
    nothing."""
    attrs = tree.attrs[node] or _NONE
    paths = 0
    titles: list[str] = []
    texts: list[str] = []
    inner = node + 1
    while inner < tree.end[node]:
        tag = tree.tag[inner]
        paths += len((tree.attrs[inner] or _NONE).get("d", ""))
        if tag == "title" and tree.tag[tree.parent[inner]] in ("svg", "g"):
            titles.append(text_inside(tree, inner))
        elif tag in ("text", "foreignobject", "foreignObject"):
            texts.append(text_inside(tree, inner))
        inner = tree.end[inner] if tag in ("title", "text", "style", "desc") else inner + 1
    title, text = " ".join(filter(None, titles)), " ".join(filter(None, texts))
    label = attrs.get("aria-label") or attrs.get("title") or title
    if not label and not text:
        return None, paths
    more = {"title": title} if title and label != title else {}
    return leaf(_standing("svg", label, more), text), paths


def media(tree: Tree, node: int, base: Base) -> Tree:
    """A ``canvas``, ``video`` or ``audio`` as its label and address."""
    tag, attrs = tree.tag[node], tree.attrs[node] or _NONE
    named = range(node, tree.end[node])
    source = next(
        (
            src
            for inner in named
            if inner == node or tree.tag[inner] == "source"
            if (src := (tree.attrs[inner] or _NONE).get("src"))
        ),
        "",
    )
    address = base.absolute(source) if source and tag != "canvas" else ""
    label = attrs.get("aria-label") or attrs.get("title") or ""
    return leaf(_standing(tag, label, {"src": address} if address else {}), "")


def _standing(tag: str, label: str, more: Attrs) -> Attrs:
    found = {"data-pf-tag": tag, "role": "img", **more}
    if label:
        found["aria-label"] = label
    return found


def formula(tree: Tree, math: int) -> Tree:
    """A ``math`` element as one copy of what it shows, with its TeX."""
    tex, shown = "", []
    for inner in range(math, tree.end[math]):
        tag, attrs = tree.tag[inner], tree.attrs[inner] or _NONE
        if tag == "annotation" and "tex" in attrs.get("encoding", "").lower():
            tex = tex or "".join(tree.text[inner : tree.end[inner]]).strip()
        elif tag in _LEAVES:
            shown += tree.text[inner : tree.end[inner]]
    tex = tex or (tree.attrs[math] or _NONE).get("alttext", "")
    text = " ".join("".join(shown).split()) or tex or text_inside(tree, math)
    return tex_leaf(tex, text)


def tex_leaf(tex: str, text: str) -> Tree:
    """A formula with its TeX, where known."""
    return leaf({"data-pf-tag": "math", **({"data-pf-tex": tex} if tex else {})}, text)


def is_typeset(tag: str, attrs: Attrs) -> bool:
    """Whether a script has set a formula here, of which ``math`` inside is a copy."""
    named = attrs.get("class")
    if named and ("katex" in named or "MathJax" in named):
        return not _TYPESET.isdisjoint(named.split())
    return tag == "mjx-container"


def math_inside(tree: Tree, node: int) -> int:
    """The first ``math`` in a subtree, or -1."""
    inside = range(node + 1, tree.end[node])
    return next((inner for inner in inside if tree.tag[inner] == "math"), -1)
