"""One pass over a judged document that writes its runs."""

from __future__ import annotations

from extractor.serialise import escape_text
from extractor.tree import TEXT, Attrs, body_of
from extractor.units.atoms import ATOMS, atom
from extractor.units.doc import Doc
from extractor.units.left import LEFT, unread_chars
from extractor.units.sentences import SENTENCE_SPLIT, split
from extractor.units.spacing import collapsed, lines_of
from extractor.visibility import HIDDEN

_PRE = frozenset({"pre", "textarea"})


class Runs:
    """One pass over the document that writes the run lists."""

    def __init__(self, doc: Doc, blocks: list[bool]) -> None:
        self.doc, self.blocks = doc, blocks
        self.glue = ""
        self.fresh = True
        self.pre: list[bool] = [False] * len(doc.tree)

    def collect(self) -> None:
        tree = self.doc.tree
        node, stop = body_of(tree) + 1, len(tree)
        closing: list[int] = []
        while node < stop:
            while closing and closing[-1] <= node:
                closing.pop()
                self._boundary()
            node = self._node(node, closing)

    def _boundary(self) -> None:
        self.glue, self.fresh = "", True

    def _node(self, node: int, closing: list[int]) -> int:
        doc, tree = self.doc, self.doc.tree
        tag, end = tree.tag[node], tree.end[node]
        if doc.state[node] == HIDDEN:
            return end
        if tag == TEXT:
            self._text(node)
            return end
        attrs = tree.attrs[node] or {}
        kept = tag in _PRE or self.pre[tree.parent[node]]
        self.pre[node] = attrs["data-pf-pre"] != "0" if "data-pf-pre" in attrs else kept
        if tag == "br":
            if not self.fresh:
                self.glue = self.glue.replace(" ", "") + "\n" if self.pre[node] else "<br>"
            return end
        if self.blocks[node]:
            self._boundary()
            closing.append(end)
        if tag == LEFT:
            self.doc.unread[len(self.doc.run_node)] = unread_chars(attrs)
            self._boundary()
            self._add(node, 0, True, "", "")
            self._boundary()
            return end
        if self._is_atom(node, tag, attrs):
            self._atom(node, tag)
            return end
        return node + 1

    def _is_atom(self, node: int, tag: str, attrs: Attrs) -> bool:
        if tag in ATOMS:
            return tag != "input" or attrs.get("type") != "hidden"
        tree = self.doc.tree
        end = tree.end[node]
        if end - node > 3 or any(tree.text[node + 1 : end]):
            return False
        said = tag in ("td", "th", "button", "pf-frame")
        if not said and attrs:
            label = attrs.get("aria-label") or attrs.get("data-pf-tex")
            said = bool(label or tag == "a" and attrs.get("title"))
        return said and not any(tag in ATOMS for tag in tree.tag[node + 1 : end])

    def _atom(self, node: int, tag: str) -> None:
        html, text = atom(self.doc, node)
        if tag == "hr":
            self._boundary()
        self._add(node, 0, True, text, html)
        self.fresh = tag == "hr"

    def _text(self, node: int) -> None:
        data = self.doc.tree.text[node]
        if self.pre[self.doc.tree.parent[node]]:
            lines = lines_of(data)
            for part, line in enumerate(lines):
                self._add(node, part, part == len(lines) - 1, line, escape_text(line))
                self.glue, self.fresh = "", False
            return
        text = collapsed(data)
        if text == " " and (self.fresh or self.glue):
            return
        if text.startswith(" ") and not self.fresh and not self.glue:
            self.glue = " "
        body = text.strip(" ")
        if not body:
            return
        if self.fresh and not self.glue and self._same_block(node):
            # Something empty stood between: without a break the words on either side would join.
            self.glue = "<br>"
        if len(body) <= SENTENCE_SPLIT:
            self._add(node, 0, True, body, escape_text(body))
            self.fresh = False
            self.glue = " " if text.endswith(" ") else ""
            return
        pieces = split(body)
        for part, (piece, spaced) in enumerate(pieces):
            if part:
                self.glue = " " if spaced else ""
            self._add(node, part, part == len(pieces) - 1, piece, escape_text(piece))
        self.fresh = False
        self.glue = " " if text.endswith(" ") else ""

    def _same_block(self, node: int) -> bool:
        doc = self.doc
        if not doc.run_node or doc.run_block[-1] != doc.block[node]:
            return False
        return doc.tree.tag[doc.run_node[-1]] == TEXT

    def _add(self, node: int, part: int, last: bool, text: str, html: str) -> None:
        doc = self.doc
        doc.run_node.append(node)
        doc.run_part.append(part)
        doc.run_last.append(last)
        doc.run_text.append(text)
        doc.run_html.append(html)
        doc.run_glue.append(self.glue)
        doc.run_block.append(doc.block[node])
        doc.run_parent.append(doc.up[node])
        self.glue = ""
