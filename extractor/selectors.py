"""What the caller selects: which nodes ``include`` and ``exclude`` match."""

from __future__ import annotations

from collections.abc import Sequence

from selectolax.lexbor import LexborHTMLParser, SelectolaxError

from extractor.errors import InvalidSelector
from extractor.snapshot import Notice
from extractor.tree import TEXT, Tree


def selected(html: str, tree: Tree, selectors: Sequence[str], *, field: str) -> list[bool] | None:
    """Per node of ``tree`` (parsed from ``html``), whether a selector matches it or what is around it.

    ``None`` when nothing is selected.

    Raises:
        InvalidSelector: one of them is no CSS selector that lexbor knows; ``field`` names the option.
    """
    if not selectors:
        return None
    parser = LexborHTMLParser(html)
    chosen: set[int] = set()
    for selector in selectors:
        try:
            chosen |= {node.mem_id for node in parser.css(selector)}
        except (SelectolaxError, UnicodeEncodeError) as error:
            raise InvalidSelector(
                f"{field}: {selector!r} is no CSS selector", field=field
            ) from error
    if not chosen or parser.root is None:
        return None
    marks = [False] * len(tree)
    elements = (node for node in parser.root.traverse() if node.is_element_node)
    nodes = [node for node in range(len(tree)) if tree.tag[node] != TEXT]
    for index, element in zip(nodes, elements, strict=True):
        if element.mem_id in chosen:
            marks[index : tree.end[index]] = [True] * (tree.end[index] - index)
    return marks


def unmatched(field: str, selectors: Sequence[str], marks: Sequence[bool] | None) -> list[Notice]:
    """What the caller must know: selectors that matched nothing."""
    if not selectors or marks is not None:
        return []
    return [Notice("no_match", f"{field} matched nothing: {', '.join(selectors)}")]
