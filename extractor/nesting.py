"""The nesting pass: give a tree a shape that HTML can express.

A composed tree (shadow roots, slots and frames in place, or a DOM built by script) often has no HTML
that parses back into it. A small table of rules (``nesting.json``, shared with the page script) renames
or wraps what HTML cannot nest where it stands. No text is lost or moved. The rules are stricter than the
parser: whatever they accept stays valid when subtrees are taken out or bare ``div`` and ``span``
wrappers are removed, which is what folding does.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from extractor.nesting_rules import (
    IN_A,
    IN_BAD_SELECT,
    IN_BUTTON,
    IN_DEFINITION,
    IN_FORM,
    IN_HEADING,
    IN_LI,
    RULES,
    clean_text,
    inner_bits,
    kept_attributes,
    legal_part,
    suits,
    wrappers,
)
from extractor.tree import TEXT, Attrs, Tree

_NAME = re.compile(r"[a-z][a-z0-9._-]*\Z")
_HEAD_CHILDREN = frozenset({"title", "meta", "link", "base"})
_STRUCTURE = frozenset({"table", "thead", "tbody", "tfoot", "tr", "select", "optgroup", "html"})


def normalise(tree: Tree) -> Tree:
    """The same text in the same order, in a tree that survives being written and parsed again.

    Idempotent; linear in the number of nodes. Nesting past ``max_depth`` levels is flattened.
    """
    return _Normaliser(tree).run()


@dataclass(slots=True)
class _Open:
    """An element of the output that is still open. ``implied`` ones were not in the input."""

    end: int
    index: int
    tag: str
    bits: int
    implied: bool = False


class _Normaliser:
    def __init__(self, tree: Tree) -> None:
        self.source = tree
        self.out = Tree([], [], [], [], [])
        self.stack: list[_Open] = []
        self.open_paragraphs: list[int] = []
        self.broken_paragraphs: list[int] = []
        self.pending_break = False

    def run(self) -> Tree:
        source = self.source
        html_attrs = source.attrs[0] if len(source) else None
        self._emit("html", kept_attributes(html_attrs, None), len(source), 0)
        head, body = self._find("head"), self._body()
        self._head(head)
        if body is None:
            self._emit("body", None, len(source), 0)
        else:
            renamed = None if source.tag[body] == "body" else source.tag[body]
            self._emit("body", kept_attributes(source.attrs[body], renamed), source.end[body], 0)
            self._walk(body + 1, source.end[body])
        self._close_to(0)
        for node in self.broken_paragraphs:
            self.out.tag[node] = "div"
            attrs = self.out.attrs[node] or {}
            self.out.attrs[node] = (
                attrs if "data-pf-tag" in attrs else {"data-pf-tag": "p", **attrs}
            )
        return self.out

    def _find(self, tag: str) -> int | None:
        source, node = self.source, 1
        while node < len(source):
            if source.tag[node] == tag:
                return node
            node = source.end[node]
        return None

    def _body(self) -> int | None:
        found = self._find("body")
        return found if found is not None else self._find("frameset")

    def _head(self, head: int | None) -> None:
        source = self.source
        self._emit("head", None, source.end[head] if head is not None else 1, 0)
        node, stop = (head + 1, source.end[head]) if head is not None else (0, 0)
        while node < stop:
            tag = source.tag[node]
            if tag in _HEAD_CHILDREN:
                self._emit(tag, kept_attributes(source.attrs[node], None), source.end[node], 0)
                if tag == "title":
                    self._text(self._all_text(node))
                self._pop()
            node = source.end[node]
        self._pop()

    def _walk(self, node: int, stop: int) -> None:
        source, stack = self.source, self.stack
        tags, ends = source.tag, source.end
        while node < stop:
            while stack[-1].end <= node:
                self._pop()
            tag = tags[node]
            if tag == TEXT:
                self._place_text(source.text[node])
                node += 1
            else:
                node = self._element(node, tag, ends[node])

    def _element(self, node: int, tag: str, end: int) -> int:
        """Place one element; the index of the next node to look at."""
        if tag in RULES.drop:
            return end
        if tag in ("col", "colgroup") and not self._all_text(node).strip():
            return end
        name = self._name(node, tag, end)
        top = self._fit(name, end)
        if name in RULES.table_parts and not legal_part(name, top.tag):
            name = "div"
            top = self._fit(name, end)
        if len(self.stack) >= RULES.max_depth and name not in RULES.void:
            self.pending_break = True
            return node + 1
        attrs = kept_attributes(self.source.attrs[node], tag if name != tag else None)
        if name in RULES.void:
            self._emit(name, attrs, end, top.bits)
            self._pop()
            return end
        self._emit(name, attrs, end, inner_bits(top.bits, name, tag))
        if name == "textarea":
            self._text(clean_text(self._all_text(node)))
            return end
        return end if tag in ("iframe", "frame") else node + 1

    def _name(self, node: int, tag: str, end: int) -> str:
        """The name under which an element may stand here."""
        bits = self.stack[-1].bits
        name = RULES.rename.get(tag, tag)
        if _NAME.match(name) is None:
            return "span"
        if name in RULES.headings:
            return "div" if bits & IN_HEADING else name
        if name in RULES.void:
            return "span" if end > node + 1 and self._all_text(node).strip() else name
        if name == "select":
            return name if not bits & IN_BAD_SELECT and self._plain_select(node) else "span"
        if name in RULES.select_parts:
            return name if self.stack[-1].tag in ("select", "optgroup") else "span"
        if name in RULES.ruby_parts:
            return name if self.stack[-1].tag == "ruby" else "span"
        if name == "a" and bits & IN_A or name == "button" and bits & IN_BUTTON:
            return "span"
        if (
            name == "form"
            and bits & IN_FORM
            or name == "li"
            and bits & IN_LI
            or name in RULES.definition_items
            and bits & IN_DEFINITION
        ):
            return "div"
        return name

    def _plain_select(self, select: int) -> bool:
        """Whether a select holds nothing but options and groups of options with plain text."""
        source = self.source
        for node in range(select + 1, source.end[select]):
            tag, above = source.tag[node], source.tag[source.parent[node]]
            if tag == TEXT:
                if above != "option" and source.text[node].strip():
                    return False
            elif tag == "option":
                if above not in ("select", "optgroup"):
                    return False
            elif tag != "optgroup" or above != "select":
                return False
        return True

    def _fit(self, name: str, end: int) -> _Open:
        """Close implied wrappers that do not suit ``name``, open those that it needs."""
        stack = self.stack
        while stack[-1].implied and not suits(name, stack[-1].tag):
            self._pop()
        for wrapper in wrappers(name, stack[-1].tag):
            above = stack[-1]
            self._emit(wrapper, {"data-pf-tag": "-"}, above.end, above.bits)
            stack[-1].implied = True
        return stack[-1]

    def _place_text(self, data: str) -> None:
        data = clean_text(data)
        top = self.stack[-1]
        if not data.strip(" \t\n\f") and top.tag in _STRUCTURE:
            return
        if top.tag in ("select", "optgroup"):
            return
        self._fit(TEXT, top.end)
        if self.pending_break:
            data, self.pending_break = "\n" + data, False
        self._text(data)

    def _text(self, data: str) -> None:
        out = self.out
        if not data:
            return
        parent = self.stack[-1].index
        if out.tag[-1] == TEXT and out.parent[-1] == parent:
            out.text[-1] += data
            return
        out.tag.append(TEXT)
        out.parent.append(parent)
        out.end.append(len(out.tag))
        out.attrs.append(None)
        out.text.append(data)

    def _emit(self, name: str, attrs: Attrs | None, end: int, bits: int) -> None:
        out = self.out
        index = len(out.tag)
        if name in RULES.p_closers and self.open_paragraphs:
            self.broken_paragraphs += self.open_paragraphs
            self.open_paragraphs = []
        if name == "p":
            self.open_paragraphs.append(index)
        out.tag.append(name)
        out.parent.append(self.stack[-1].index if self.stack else -1)
        out.end.append(0)
        out.attrs.append(attrs)
        out.text.append("")
        self.stack.append(_Open(end, index, name, bits))

    def _pop(self) -> None:
        done = self.stack.pop()
        self.out.end[done.index] = len(self.out.tag)
        if self.open_paragraphs and self.open_paragraphs[-1] == done.index:
            self.open_paragraphs.pop()

    def _close_to(self, depth: int) -> None:
        while len(self.stack) > depth:
            self._pop()

    def _all_text(self, node: int) -> str:
        """The text inside a node, without that of elements that are dropped."""
        source, parts, inner = self.source, list[str](), node + 1
        while inner < source.end[node]:
            dropped = source.tag[inner] in RULES.drop
            parts.append("" if dropped else source.text[inner])
            inner = source.end[inner] if dropped else inner + 1
        return "".join(parts)
