"""What follows a part of a very large page that was not read is what it was before it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from extractor.regions.result import Regions
from extractor.tree import TEXT, Tree
from extractor.units.left import LEFT


def continued(tree: Tree, regions: Regions) -> Regions:
    """The same regions; an element behind a gap is main where the one of its kind before the gap is.

    Alone behind a gap, an item does not look like one of the many that it belongs to. Linear.
    """
    parents = {tree.parent[node] for node, tag in enumerate(tree.tag) if tag == LEFT}
    if not parents:
        return regions
    main = list(regions.main)
    for parent in sorted(parents):
        before, gap = -1, False
        for child in _children(tree, parent):
            if tree.tag[child] == LEFT:
                gap = True
                continue
            alike = before > 0 and tree.tag[child] == tree.tag[before]
            if gap and alike and main[before]:
                main[child : tree.end[child]] = [True] * (tree.end[child] - child)
            before = child
    return replace(regions, main=main)


def _children(tree: Tree, parent: int) -> Iterator[int]:
    child = parent + 1
    while child < tree.end[parent]:
        if tree.tag[child] != TEXT:
            yield child
        child = tree.end[child]
