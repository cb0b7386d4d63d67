"""Which elements a selector names: matched by lexbor, given as indices of our arrays."""

from __future__ import annotations

from selectolax.lexbor import LexborHTMLParser, LexborNode, SelectolaxError

from extractor.styles.chains import Chains, links_of
from extractor.styles.names import NameIndex
from extractor.styles.selectors import COSTLY, Selector
from extractor.tree import Tree

#: Elements looked at in all, and nodes past which no selector is tried that may be quadratic.
_MOST_STEPS = 1_000_000_000
_MANY_NODES = 20_000


class Matcher:
    """Matches selectors with lexbor and gives indices of ``tree``."""

    def __init__(self, tree: Tree, document: LexborHTMLParser | LexborNode) -> None:
        self._tree, self._document = tree, document
        self._known: dict[str, list[int]] = {}
        self._index: dict[int, int] | None = None
        self._names = NameIndex(tree)
        self._tells_case = _tells_case(document)
        self._chains = Chains(tree, self._of_part)
        self._spent = 0
        self.skipped = 0

    def matches(self, selector: Selector) -> list[int]:
        """Nodes that the selector matches; none for one that lexbor does not know."""
        known = self._known.get(selector.text)
        if known is None:
            known = self._known[selector.text] = self._found(selector)
        return known

    def _found(self, selector: Selector) -> list[int]:
        if any(need not in self._names for need in selector.needs):
            return []
        costly = len(self._tree) > _MANY_NODES and COSTLY.search(selector.text)
        links = links_of(selector.text)
        if costly or links is None or self._spent > _MOST_STEPS:
            self.skipped += 1
            return []
        try:
            if self._chains.too_costly(selector.text):
                raise SelectolaxError(selector.text)
            return self._chains.found(links)
        except SelectolaxError:
            self.skipped += 1
            return []

    def _of_part(self, text: str) -> list[int]:
        """Nodes for a part without combinators."""
        named = self._names.nodes_of(text) if self._tells_case else None
        if named is not None:
            return named
        self._spent += len(self._tree)
        found = self._document.css(text)
        if not found:
            return []
        index = self._index_of_elements()
        return [index[node.mem_id] for node in found if node.mem_id in index]

    def _index_of_elements(self) -> dict[int, int]:
        if self._index is None:
            tree, document = self._tree, self._document
            root = document.root if isinstance(document, LexborHTMLParser) else document
            nodes = (node for node in range(len(tree)) if tree.tag[node][0] != "#")
            elements = root.traverse() if root is not None else ()
            walked = (node.mem_id for node in elements if node.is_element_node)
            self._index = dict(zip(walked, nodes, strict=False))
        return self._index


def _tells_case(document: LexborHTMLParser | LexborNode) -> bool:
    """Whether names in other letters are other names: for sure under the plain ``<!DOCTYPE html>``."""
    root = document.root if isinstance(document, LexborHTMLParser) else None
    before = None if root is None else root.prev
    while before is not None and before.tag == "-comment":
        before = before.prev
    return before is not None and (before.html or "").lower() == "<!doctype html>"
