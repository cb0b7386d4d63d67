"""What the caller selects: which nodes ``include`` and ``exclude`` match."""

from __future__ import annotations

from collections.abc import Sequence

from selectolax.lexbor import LexborHTMLParser, SelectolaxError

from extractor.errors import InvalidSelector
from extractor.snapshot import Notice
from extractor.styles.chains import Chains, links_of
from extractor.styles.selectors import split_list
from extractor.tree import TEXT, Tree

_MOST_CHARS = 2_000
_NOTHING = LexborHTMLParser("")


def selected(html: str, tree: Tree, selectors: Sequence[str], *, field: str) -> list[bool] | None:
    """Per node of ``tree`` (parsed from ``html``), whether a selector matches it or what is around it.

    ``None`` when nothing is selected.

    Raises:
        InvalidSelector: one of them is no CSS selector that lexbor knows; ``field`` names the option.
    """
    if not selectors:
        return None
    parser = LexborHTMLParser(html)
    elements = parser.root.traverse() if parser.root is not None else ()
    ids = (element.mem_id for element in elements if element.is_element_node)
    nodes = (node for node in range(len(tree)) if tree.tag[node] != TEXT)
    index = dict(zip(ids, nodes, strict=True))
    chains = Chains(tree, lambda part: [index[node.mem_id] for node in parser.css(part)])
    chosen: set[int] = set()
    for selector in selectors:
        try:
            chosen.update(_matches(chains, selector))
        except (SelectolaxError, UnicodeEncodeError) as error:
            raise InvalidSelector(
                f"{field}: {selector!r} is no CSS selector", field=field
            ) from error
        except OverflowError as error:
            raise InvalidSelector(
                f"{field}: {selector[:80]!r} takes too long to match here", field=field
            ) from error
    if not chosen:
        return None
    marks = [False] * len(tree)
    for node in chosen:
        marks[node : tree.end[node]] = [True] * (tree.end[node] - node)
    return marks


def _matches(chains: Chains, selector: str) -> list[int]:
    """The nodes that a list of selectors names.

    Raises:
        SelectolaxError: it is no list of selectors.
        OverflowError: it would take too long.
    """
    if len(selector) > _MOST_CHARS:
        raise OverflowError
    # lexbor says what is none, and what it does not know; there is nothing here to match.
    _NOTHING.css(selector)
    found: list[int] = []
    for part in split_list(selector):
        links = links_of(part)
        if links is None:
            raise SelectolaxError(part)
        if chains.too_costly(part):
            raise OverflowError
        found += chains.found(links)
    return found


def unmatched(field: str, selectors: Sequence[str], marks: Sequence[bool] | None) -> list[Notice]:
    """What the caller must know: selectors that matched nothing."""
    if not selectors or marks is not None:
        return []
    return [Notice("no_match", f"{field} matched nothing: {', '.join(selectors)}")]
