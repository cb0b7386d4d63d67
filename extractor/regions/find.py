"""The order of the search for regions, in one place.

measure → score → choose the main content → assemble → (ask the model what is main)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from extractor.regions.beside import BESIDE, beside
from extractor.regions.cards import with_names_and_prices
from extractor.regions.features import Features, measure
from extractor.regions.geometry import page_of
from extractor.regions.learned.decide import judgement, main_nodes
from extractor.regions.learned.reasons import Reasons
from extractor.regions.learned.weights import Weights
from extractor.regions.main_content import NOT_MAIN, choose
from extractor.regions.names import Names
from extractor.regions.repetition import list_at
from extractor.regions.result import RegionNode, Regions
from extractor.regions.score import MAX_SMALL, Scene, score
from extractor.regions.semantics import SECTIONING, enclosing
from extractor.tree import TEXT, Tree, body_of
from extractor.units.blocks import INLINE
from extractor.visibility import HIDDEN, Verdicts

#: Elements too small or too general to be judged for a role of their own.
_NEVER = frozenset(
    "html head body title p h1 h2 h3 h4 h5 h6 tr th thead tbody tfoot caption dt dd option hr pre "
    "figcaption legend li".split()
)
#: Inside these nothing further is looked for.
_CLOSED = frozenset({"nav", "consent", "ad", "share", "pagination", "toc", "search", "table"})

#: Confidence of the rules from which a menu is a menu, whatever was learned of its like.
_SURE = 0.95


def find_regions(
    tree: Tree,
    verdicts: Verdicts,
    chars: Sequence[int],
    *,
    viewport: tuple[int, int] | None = None,
    url: str = "",
    json_ld: Sequence[str] = (),
    weights: Weights | None = None,
) -> Regions:
    """Roles of a page's parts and its main content, each with evidence. Total and deterministic.

    Args:
        chars: visible code points of each node's subtree.
        viewport: width and height in CSS pixels that the page was captured with.
        url: the page's own address, to know links that lead into the page itself.
        json_ld: what the page says of itself in JSON-LD.
        weights: what was learned about main content; ``None`` leaves it to the rules by hand alone.

    Takes time n log n in the number of nodes at worst, and is linear on real pages.
    """
    if not len(tree):
        return Regions([RegionNode(0, "other", 1.0, ())], [], [])
    body = body_of(tree)
    features = measure(tree, chars)
    scene = _scene(tree, features, body, chars[body], viewport=viewport, url=url)
    found = _score_all(scene, verdicts, body)
    mains = choose(tree, features, found, body)
    lists = {node: region for node in mains if (region := list_at(features, node)) is not None}
    for node in mains:
        if node not in found or found[node].role != "main":
            why = "title:h1" if features.tag[node] == "h1" else "holds:running_text"
            found[node] = RegionNode(node, "main", 0.6, (why,))
    for region in list(beside(scene, mains, found)):
        found[region.node] = region
    regions = _assemble(tree, found, mains, lists)
    if weights is None:
        return regions
    judged = judgement(tree, features, regions, weights, url=scene.url, json_ld=json_ld)
    if judged is None:
        return regions
    main = _held_to(tree, regions, with_names_and_prices(tree, features, main_nodes(judged)))
    return replace(regions, main=main, grounds=Reasons(judged, regions.role_of))


def _held_to(tree: Tree, regions: Regions, main: list[bool]) -> list[bool]:
    """What was learned, held to what a page says itself: a title above its content belongs to it, a menu
    never does.
    """
    for node, tag in enumerate(tree.tag):
        if tag == "h1" and regions.main[node]:
            main[node : tree.end[node]] = [True] * (tree.end[node] - node)
    for item in regions.items:
        if item.role == "nav" and item.confidence >= _SURE and "tag:nav" in item.evidence:
            main[item.node : tree.end[item.node]] = [False] * (tree.end[item.node] - item.node)
    return main


def _scene(
    tree: Tree,
    features: Features,
    body: int,
    whole: int,
    *,
    viewport: tuple[int, int] | None,
    url: str,
) -> Scene:
    return Scene(
        tree=tree,
        features=features,
        names=Names(),
        page=page_of(tree, body, viewport),
        inside=_inside(tree, features),
        ids={attrs["id"] for attrs in tree.attrs if attrs and "id" in attrs},
        titles=[node for node, tag in enumerate(features.tag) if tag == "h1"],
        url=url.partition("#")[0],
        body=body,
        whole=whole,
        prose=features.prose[body],
        plain=whole - features.links[body],
    )


def _inside(tree: Tree, features: Features) -> list[int]:
    """What each element stands in, itself included, as bits of ``semantics.IN_*``."""
    inside = [0] * len(tree)
    tags, parents, all_attrs = features.tag, tree.parent, tree.attrs
    for node in range(1, len(tree)):
        tag, attrs = tags[node], all_attrs[node]
        bits = inside[parents[node]]
        if tag in SECTIONING or attrs and "role" in attrs:
            bits |= enclosing(tag, attrs)
        inside[node] = bits
    return inside


def _score_all(scene: Scene, verdicts: Verdicts, body: int) -> dict[int, RegionNode]:
    tree, features = scene.tree, scene.features
    found: dict[int, RegionNode] = {}
    #: Size of the smallest block above whose links were looked at: half of it at most is looked at again.
    asked = [0] * len(tree)
    #: Role of the region around: a block of the same role in it is a part of it.
    holder = [""] * len(tree)
    node, size = body + 1, len(tree)
    while node < size:
        tag = features.tag[node]
        if tag == TEXT or tag in INLINE or tag in _NEVER or not features.chars[node]:
            asked[node], holder[node] = asked[tree.parent[node]], holder[tree.parent[node]]
            node += 1
            continue
        if verdicts.state[node] == HIDDEN:
            node = tree.end[node]
            continue
        nodes, above = tree.end[node] - node, asked[tree.parent[node]]
        small = nodes <= MAX_SMALL and (not above or nodes <= above // 2)
        asked[node] = nodes if small else above
        holder[node] = holder[tree.parent[node]]
        region = score(scene, node, small=small) or list_at(features, node)
        if region is not None and region.role != holder[tree.parent[node]]:
            found[node] = region
            holder[node] = region.role
            if region.role in _CLOSED:
                node = tree.end[node]
                continue
        node += 1
    return found


def _assemble(
    tree: Tree, found: dict[int, RegionNode], mains: list[int], lists: dict[int, RegionNode]
) -> Regions:
    """Regions in document order. A main that is a list too is listed as both, and counts as main."""
    items = [RegionNode(0, "other", 1.0, ())]
    role_of, main = [0] * len(tree), [False] * len(tree)
    chosen = set(mains)
    parents = tree.parent
    for node in range(1, len(tree)):
        above = parents[node]
        role_of[node], main[node] = role_of[above], main[above]
        if node not in found:
            continue
        region = found[node]
        if node in lists:
            items.append(lists[node])
        items.append(region)
        role_of[node] = len(items) - 1
        if node in chosen:
            main[node] = True
        elif region.role in NOT_MAIN or BESIDE in region.evidence:
            main[node] = False
    return Regions(items, role_of, main)
