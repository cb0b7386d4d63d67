"""What is taken out of the tree, or stands there in another form."""

from __future__ import annotations

from collections.abc import Callable

from extractor.nesting import RULES
from extractor.static import atoms
from extractor.static.document import Document
from extractor.static.facts import Facts
from extractor.static.frames import frame
from extractor.static.kept import NEVER, kept_attributes
from extractor.static.splice import Edit
from extractor.tree import TEXT, Attrs, Tree

_NONE: Attrs = {}
SPECIAL = frozenset({"svg", "math", "canvas", "video", "audio", "iframe", "frame", "mjx-container"})


class Edits:
    """The edits of one document, in order. ``read_frame`` reads what a frame holds, if anything may."""

    def __init__(
        self,
        document: Document,
        facts: Facts,
        read_frame: Callable[[Document], Tree] | None,
    ) -> None:
        self.document, self.tree, self.facts = document, document.tree, facts
        self.base, self.read_frame = document.base, read_frame
        self.edits: list[Edit] = []

    def hide(self, node: int, reason: str) -> int:
        """Of what nobody sees only the text stays, marked."""
        tree, words = self.tree, []
        inner, stop = node, tree.end[node]
        while inner < stop:
            tag = tree.tag[inner]
            if tag in NEVER:
                inner = self.never(inner, tag, tree.attrs[inner] or _NONE, edit=False)
                continue
            if tag == TEXT:
                words += tree.text[inner].split()
            inner = tree.end[inner] if tag in ("textarea", "svg", "iframe") else inner + 1
        text = " ".join(words)
        holder = atoms.leaf({"data-pf-h": reason}, text)
        holder.tag[0] = "div" if tree.tag[node] in RULES.p_closers else "span"
        return self.replace(node, holder if text else None)

    def replace(self, node: int, part: Tree | None) -> int:
        """Put ``part``, or nothing, in place of a subtree; the index of the node after it."""
        stop = self.tree.end[node]
        self.edits.append((node, stop, part))
        return stop

    def never(self, node: int, tag: str, raw: Attrs, *, edit: bool = True) -> int:
        """Leave out what nobody reads where it stands, counted; the index of the node after it."""
        tree, stop = self.tree, self.tree.end[node]
        kind = raw.get("type", "").strip().lower() if tag == "script" else ""
        part = None
        if tag == "meta" and "itemprop" in raw and self._in_body(node):
            tree.attrs[node] = kept_attributes(tag, raw, self.base) or None
            return stop
        if tag not in ("link", "meta", "base") or tag == "meta" and self._in_body(node):
            text = "".join(tree.text[node:stop])
            if kind == "application/ld+json":
                self.facts.json_ld.append(text)
            if kind.startswith("math/tex") and edit:
                part = atoms.tex_leaf(text.strip(), text.strip())
            else:
                self.facts.drop(tag, len(text))
        elif not self._in_body(node):
            tree.attrs[node] = kept_attributes(tag, raw, self.base) or None
            return stop
        return self.replace(node, part) if edit else stop

    def _in_body(self, node: int) -> bool:
        parent = self.tree.parent[node]
        return parent >= 0 and self.tree.tag[parent] != "head"

    def special(self, node: int, tag: str, kept: Attrs) -> int:
        """Drawings, formulas, media and frames; 0 for an element that stays as it is."""
        tree, part = self.tree, None
        if tag == "svg":
            part, paths = atoms.drawing(tree, node)
            self.facts.drop("svg", paths)
        elif tag in ("canvas", "video", "audio"):
            part = atoms.media(tree, node, self.base)
        elif tag in ("iframe", "frame"):
            part = frame(tree.attrs[node] or _NONE, self.document, self.read_frame)
        else:
            math = node if tag == "math" else atoms.math_inside(tree, node)
            if math < 0:
                return 0
            part = atoms.formula(tree, math)
        marks = {name: value for name, value in kept.items() if name.startswith("data-pf-")}
        if part is not None and marks:
            part.attrs[0] = {**(part.attrs[0] or {}), **marks}
        return self.replace(node, part)
