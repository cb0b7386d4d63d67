"""Declarative shadow roots, open and closed: the composed tree, slots resolved.

Source: DOM, "Finding slots and slottables"; HTML, "the template element".
"""

from __future__ import annotations

from dataclasses import dataclass, field

from selectolax.lexbor import LexborNode

from extractor.styles import Styles
from extractor.tree import TEXT, Attrs, Tree, flatten

#: Stands above the children of a shadow root in its arrays.
FRAGMENT = "#fragment"


@dataclass(frozen=True, slots=True)
class Part:
    """One tree scope: its arrays and styles, and by the index of a ``template`` the root declared by it."""

    tree: Tree
    styles: Styles
    roots: dict[int, Part] = field(default_factory=dict)


@dataclass(slots=True)
class _Scope:
    """A shadow tree that is being walked: the light children of its host by the slot they ask for."""

    light: Part
    slots: dict[str, list[int]]
    outer: _Scope | None


@dataclass(frozen=True, slots=True)
class _Visit:
    """A node to write under ``parent``; with ``node`` -1, the element ``parent`` to close."""

    part: Part
    node: int
    parent: int
    scope: _Scope | None


def flatten_fragment(fragment: LexborNode) -> Tree:
    """The children of a document fragment as arrays, under one node ``#fragment``."""
    out = Tree([FRAGMENT], [-1], [1], [None], [""])
    child = fragment.first_child
    while child is not None:
        inner, base = flatten(child), len(out)
        out.tag += inner.tag
        out.parent += [0 if above < 0 else base + above for above in inner.parent]
        out.end += [base + end for end in inner.end]
        out.attrs += inner.attrs
        out.text += inner.text
        child = child.next
    out.end[0] = len(out)
    return out


def composed(document: Part) -> tuple[Tree, Styles]:
    """The document with its shadow trees in place of their hosts' children. Linear."""
    writer = _Writer()
    writer.run(document)
    styles = document.styles
    return writer.out, Styles(writer.of, frozenset(writer.inline), styles.skipped)


class _Writer:
    def __init__(self) -> None:
        self.out = Tree([], [], [], [], [])
        self.of: dict[int, dict[str, str]] = {}
        self.inline: set[int] = set()
        self.stack: list[_Visit] = []

    def run(self, document: Part) -> None:
        self.stack.append(_Visit(document, 0, -1, None))
        while self.stack:
            visit = self.stack.pop()
            if visit.node < 0:
                self.out.end[visit.parent] = len(self.out)
            elif visit.part.tree.tag[visit.node] == TEXT:
                self._emit(visit, None)
            else:
                self._element(visit)

    def _element(self, visit: _Visit) -> None:
        part, node, scope = visit.part, visit.node, visit.scope
        tree = part.tree
        attrs = tree.attrs[node]
        children = _children(tree, node)
        host = next((child for child in children if child in part.roots), None)
        if host is not None:
            mode = (tree.attrs[host] or {}).get("shadowrootmode", "open").lower()
            index = self._emit(visit, {**(attrs or {}), "data-pf-shadow": mode})
            light = _Scope(part, _slotted(tree, children), scope)
            inner = part.roots[host]
            note = _unassigned(light, inner.tree)
            self._push(index, inner, _children(inner.tree, 0), light, note)
            return
        index = self._emit(visit, attrs)
        if tree.tag[node] == "slot" and scope is not None:
            assigned = scope.slots.pop((attrs or {}).get("name", ""), None)
            if assigned:
                self._push(index, scope.light, assigned, scope.outer)
                return
        self._push(index, part, children, scope)

    def _push(
        self,
        index: int,
        part: Part,
        nodes: list[int],
        scope: _Scope | None,
        note: Tree | None = None,
    ) -> None:
        self.stack.append(_Visit(part, -1, index, None))
        if note is not None:
            self.stack.append(_Visit(Part(note, Styles()), 0, index, None))
        self.stack += [_Visit(part, node, index, scope) for node in reversed(nodes)]

    def _emit(self, visit: _Visit, attrs: Attrs | None) -> int:
        tree, node, out = visit.part.tree, visit.node, self.out
        index = len(out)
        out.tag.append(tree.tag[node])
        out.parent.append(visit.parent)
        out.end.append(index + 1)
        out.attrs.append(attrs)
        out.text.append(tree.text[node])
        own = visit.part.styles.of.get(node)
        if own is not None:
            self.of[index] = own
        if node in visit.part.styles.inline:
            self.inline.add(index)
        return index


def _unassigned(light: _Scope, shadow: Tree) -> Tree | None:
    """Light children that no slot takes are not rendered: only their text stays, marked."""
    names = {
        (attrs or {}).get("name", "")
        for tag, attrs in zip(shadow.tag, shadow.attrs, strict=True)
        if tag == "slot"
    }
    tree, words = light.light.tree, []
    for name in [name for name in light.slots if name not in names]:
        for node in light.slots.pop(name):
            words += "".join(tree.text[node : tree.end[node]]).split()
    if not words:
        return None
    marked: list[Attrs | None] = [{"data-pf-h": "not_slotted"}, None]
    return Tree(["span", TEXT], [-1, 0], [2, 2], marked, ["", " ".join(words)])


def _children(tree: Tree, node: int) -> list[int]:
    found, child = [], node + 1
    while child < tree.end[node]:
        found.append(child)
        child = tree.end[child]
    return found


def _slotted(tree: Tree, children: list[int]) -> dict[str, list[int]]:
    """Children of a host by the slot they ask for. White space alone asks for none."""
    found: dict[str, list[int]] = {}
    for child in children:
        if tree.tag[child] == "template":
            continue
        if tree.tag[child] == TEXT and not tree.text[child].strip():
            continue
        name = (tree.attrs[child] or {}).get("slot", "")
        found.setdefault(name, []).append(child)
    return found
