"""Which part of a page is its content: every declared main, else the block that holds the running text."""

from __future__ import annotations

from extractor.regions.features import Features
from extractor.regions.result import RegionNode
from extractor.tree import TEXT, Tree

#: Roles whose text is no content, wherever it stands.
NOT_MAIN = frozenset(
    {"nav", "search", "consent", "ad", "share", "footer", "header", "aside", "dialog", "overlay",
     "pagination"}
)  # fmt: skip
#: Declared mains are believed from this share of the page's text on.
DECLARED_SHARE = 0.1
#: Content is never one of these alone.
_LEAVES = frozenset({TEXT, "p", "h1", "h2", "h3", "li", "pre", "td", "span", "a"})
#: The content is the smallest block with this share of the text outside links.
HELD_SHARE = 0.85


def choose(tree: Tree, features: Features, found: dict[int, RegionNode], body: int) -> list[int]:
    """Roots of the main content, in document order. Linear."""
    chars = features.chars
    declared = [n for n, region in found.items() if region.role == "main" and chars[n]]
    if sum(chars[n] for n in declared) >= DECLARED_SHARE * chars[body]:
        return _outermost(tree, declared)
    best = _densest(tree, features, found, body)
    title = _title(tree, features, found, body)
    return [best] if not title or best <= title < tree.end[best] else sorted((title, best))


def _outermost(tree: Tree, nodes: list[int]) -> list[int]:
    kept: list[int] = []
    for node in sorted(nodes):
        if not kept or node >= tree.end[kept[-1]]:
            kept.append(node)
    return kept


def _densest(tree: Tree, features: Features, found: dict[int, RegionNode], body: int) -> int:
    score = _plain_text(tree, features, found, body)
    if score[body] < 1:
        return body
    best = child = body
    while child:
        best, child = child, 0
        node = best + 1
        while node < tree.end[best]:
            if score[node] > HELD_SHARE * score[best] and tree.tag[node] not in _LEAVES:
                child = node
            node = tree.end[node]
    return best


def _title(tree: Tree, features: Features, found: dict[int, RegionNode], body: int) -> int:
    """The page's only first heading outside regions that are no content, or 0."""
    titles = []
    node = body + 1
    while node < len(tree):
        if node in found and found[node].role in NOT_MAIN:
            node = tree.end[node]
            continue
        if features.tag[node] == "h1" and features.chars[node]:
            titles.append(node)
        node += 1
    return titles[0] if len(titles) == 1 else 0


def _plain_text(
    tree: Tree, features: Features, found: dict[int, RegionNode], body: int
) -> list[float]:
    """Per node, characters outside links and outside regions that are no content."""
    score = [0.0] * len(tree)
    node, chars = body + 1, features.chars
    while node < len(tree):
        region = found.get(node)
        if region is not None and region.role in NOT_MAIN:
            node = tree.end[node]
            continue
        if tree.tag[node] == TEXT and chars[node]:
            score[node] = chars[node] * (1 - features.link_share(tree.parent[node]))
        node += 1
    for node in range(len(tree) - 1, body, -1):
        score[tree.parent[node]] += score[node]
    return score
