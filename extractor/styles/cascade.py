"""Which declarations hold for which element: matching, specificity, importance, layers, order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from selectolax.lexbor import LexborHTMLParser, LexborNode

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
    matcher = Matcher(tree, document) if rules else None
    known = GROUPS_OF_WHOLE if complete else GROUPS_OF_PART
    groups = _live_groups(known, rules, inline.values(), matcher)
    if not groups:
        return Styles(skipped=scanner.skipped)
    best: dict[int, dict[str, tuple[_Rank, str]]] = {}
    for order, rule in enumerate(rules):
        if matcher is None or not any(group.mention.search(rule.body) for group in groups):
            continue
        declarations = declarations_of(rule.body)
        for selector in selectors_of(rule.selectors) if declarations else ():
            for node in matcher.matches(selector):
                _set(best, node, declarations, rule.layer, selector.specificity, order)
    judged = {
        node for node, style in inline.items() if any(g.mention.search(style) for g in groups)
    }
    for node in judged:
        _set(best, node, declarations_of(inline[node]), UNLAYERED, _INLINE, 0)
    found = {node: {k: value for k, (_, value) in kept.items()} for node, kept in best.items()}
    skipped = scanner.skipped + (matcher.skipped if matcher else 0)
    return Styles(found, frozenset(judged), skipped)


def _live_groups(
    known: Sequence[Group], rules: Sequence[Rule], inline: Iterable[str], matcher: Matcher | None
) -> list[Group]:
    """The groups of which some rule that matches, or some ``style`` attribute, may hide text."""
    styles = set(inline)
    bodies = "\n".join(rule.body for rule in rules)
    return [
        group
        for group in known
        if any(map(group.may_hide, styles))
        or (matcher is not None and group.hint(bodies) and _matches(group, rules, matcher))
    ]


def _matches(group: Group, rules: Sequence[Rule], matcher: Matcher) -> bool:
    return any(
        matcher.matches(selector)
        for rule in rules
        if group.may_hide(rule.body)
        for selector in selectors_of(rule.selectors)
    )


def _set(
    best: dict[int, dict[str, tuple[_Rank, str]]],
    node: int,
    declarations: Sequence[Declaration],
    layer: int,
    specificity: tuple[int, int, int],
    order: int,
) -> None:
    kept = best.setdefault(node, {})
    for declared in declarations:
        # Among important declarations earlier layers win, and those of the element itself over all.
        level = layer
        if declared.important:
            level = 1 if specificity == _INLINE else -layer
        rank = (declared.important, level, specificity, order)
        known = kept.get(declared.name)
        if known is None or known[0] <= rank:
            kept[declared.name] = (rank, declared.value)
