"""What stands in the main content of an article and is no part of it: link lists, cards, small forms.

Only on pages that are an article: elsewhere lists and cards are the content. A block with the page's first
heading or with much running text of its own always stays.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator

from extractor.regions import weights
from extractor.regions.result import RegionNode
from extractor.regions.score import Scene, traits
from extractor.tree import TEXT
from extractor.units.blocks import INLINE

#: Evidence that all regions found here carry.
BESIDE = "beside:article"
_NEVER = frozenset(
    "p h1 h2 h3 h4 h5 h6 table tr td th pre code blockquote figure figcaption dl dt dd li math "
    "details".split()
)
#: What these hold is told by the article itself.
_CLOSED = frozenset("p table pre blockquote figure dl math".split())


def beside(scene: Scene, mains: list[int], found: dict[int, RegionNode]) -> Iterator[RegionNode]:
    """Regions beside the article, outermost only, in document order. Linear."""
    tree, features = scene.tree, scene.features
    text = sum(features.chars[root] for root in mains)
    if not scene.is_article or features.prose[scene.body] < weights.MAIN_TOLD * text:
        return
    spine = set(_ancestors(scene))
    for root in mains:
        node = root + 1
        while node < tree.end[root]:
            tag = features.tag[node]
            if (
                not features.chars[node]
                or _settled(found, node)
                and node not in spine
                or tag in _CLOSED
            ):
                node = tree.end[node]
                continue
            if tag == TEXT or tag in INLINE or tag in _NEVER or node in spine:
                node += 1
                continue
            region = _judge(scene, node)
            if region is not None:
                yield region
                node = tree.end[node]
                continue
            node += 1


def _settled(found: dict[int, RegionNode], node: int) -> bool:
    return node in found and found[node].role != "list"


def _ancestors(scene: Scene) -> Iterator[int]:
    node = scene.features.body
    while node > 0:
        yield node
        node = scene.tree.parent[node]


def _judge(scene: Scene, node: int) -> RegionNode | None:
    tree, features = scene.tree, scene.features
    body = features.body
    outside = node >= tree.end[body] or node < body
    shape = dict(traits(features, node))
    total = sum(weights.BESIDE.get(trait, 0.0) for trait in shape)
    if outside:
        total += weights.OUTSIDE
    if not features.prose[node]:
        total += weights.SILENT
    if total < weights.THRESHOLD or _has_title(scene, node):
        return None
    share = features.link_share(node)
    role = "form" if "fields" in shape and share < weights.LINKY else "aside"
    reasons = [BESIDE, *(text for trait, text in shape.items() if trait in weights.BESIDE)]
    return RegionNode(node, role, round(min(total, 0.9), 2), tuple(reasons))


def _has_title(scene: Scene, node: int) -> bool:
    at = bisect_left(scene.titles, node)
    return at < len(scene.titles) and scene.titles[at] < scene.tree.end[node]
