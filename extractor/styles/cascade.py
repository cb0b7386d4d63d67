"""Which declarations hold for which element: matching, specificity, importance, layers, order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from selectolax.lexbor import LexborHTMLParser, LexborNode

from extractor.styles.blocks import Blocks
from extractor.styles.declarations import Declaration, declarations_of
from extractor.styles.groups import GROUPS_OF_PART, GROUPS_OF_WHOLE, Group
from extractor.styles.matcher import Matcher
from extractor.styles.media import Viewport
from extractor.styles.scan import UNLAYERED, Rule, Scanner
from extractor.styles.selectors import selectors_of
from extractor.tree import Tree

#: What orders two declarations of one property: importance, layer, specificity, place.
_Rank = tuple[bool, int, tuple[int, int, int], int]
_INLINE = (1 << 20, 0, 0)


@dataclass(frozen=True, slots=True)
class Styles:
    """Per element that a declaration of interest holds for: property → value.

    ``inline`` are the elements that have a ``style`` attribute of interest. ``skipped`` counts selectors
    and blocks that were not understood.
    """

    of: dict[int, dict[str, str]] = field(default_factory=dict)
    inline: frozenset[int] = frozenset()
    skipped: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class _Source:
    """Declarations that hold for an element, and what ranks them: by identity, so that sets of them are
    told apart at once."""

    declarations: Sequence[Declaration]
    layer: int
    specificity: tuple[int, int, int]
    order: int


def style_of(
    tree: Tree,
    document: LexborHTMLParser | LexborNode,
    sheets: Sequence[tuple[str, str]],
    viewport: Viewport,
    *,
    complete: bool = True,
) -> Styles:
    """The declarations that decide visibility, by node of ``tree``, which is ``document`` as arrays.

    Args:
        sheets: text and media query of each style sheet, in order.
        complete: whether these are all sheets of the page.
    """
    scanner = Scanner(viewport)
    rules = [rule for text, media in sheets for rule in scanner.rules(text, media)]
    inline = {
        node: style
        for node, attrs in enumerate(tree.attrs)
        if attrs is not None and (style := attrs.get("style"))
    }
    if not rules and not inline:
        return Styles(skipped=scanner.skipped)
    matcher = Matcher(tree, document)
    blocks = Blocks([rule.body for rule in rules])
    styles = set(inline.values())
    groups = [
        group
        for group in (GROUPS_OF_WHOLE if complete else GROUPS_OF_PART)
        if any(map(group.may_hide, styles)) or _matches(group, blocks, rules, matcher)
    ]
    if not groups:
        return Styles(skipped=scanner.skipped)
    sources = _sources(rules, sorted(blocks.mentioning(groups)), matcher)
    judged = {style for style in styles if any(group.mention.search(style) for group in groups)}
    by_style = {style: _Source(declarations_of(style), UNLAYERED, _INLINE, 0) for style in judged}
    for node, style in inline.items():
        if style in by_style:
            sources.setdefault(node, []).append(by_style[style])
    found = _resolved(sources)
    marked = frozenset(node for node, style in inline.items() if style in judged)
    return Styles(found, marked, scanner.skipped + matcher.skipped)


def _matches(group: Group, blocks: Blocks, rules: Sequence[Rule], matcher: Matcher) -> bool:
    """Whether some rule of which the block may hide text matches an element."""
    return any(
        matcher.matches(selector)
        for place in blocks.that_may_hide(group)
        for selector in selectors_of(rules[place].selectors)
    )


def _sources(
    rules: Sequence[Rule], places: Sequence[int], matcher: Matcher
) -> dict[int, list[_Source]]:
    """What holds for each node, in the order of the sheets."""
    found: dict[int, list[_Source]] = {}
    for place in places:
        rule = rules[place]
        declarations = declarations_of(rule.body)
        for selector in selectors_of(rule.selectors) if declarations else ():
            nodes = matcher.matches(selector)
            if nodes:
                source = _Source(declarations, rule.layer, selector.specificity, place)
                for node in nodes:
                    found.setdefault(node, []).append(source)
    return found


def _resolved(sources: dict[int, list[_Source]]) -> dict[int, dict[str, str]]:
    """The cascade, once for all elements that the same rules hold for: these share one mapping."""
    known: dict[tuple[_Source, ...], dict[str, str]] = {}
    found: dict[int, dict[str, str]] = {}
    for node, held in sources.items():
        key = tuple(held)
        own = known.get(key)
        if own is None:
            own = known[key] = _cascaded(key)
        found[node] = own
    return found


def _cascaded(sources: Sequence[_Source]) -> dict[str, str]:
    best: dict[str, tuple[_Rank, str]] = {}
    for source in sources:
        for declared in source.declarations:
            # Among important declarations earlier layers win, and those of the element itself over all.
            level = source.layer
            if declared.important:
                level = 1 if source.specificity == _INLINE else -source.layer
            rank = (declared.important, level, source.specificity, source.order)
            known = best.get(declared.name)
            if known is None or known[0] <= rank:
                best[declared.name] = (rank, declared.value)
    return {name: value for name, (_, value) in best.items()}
