"""Take parts out of flat arrays, or put others in their place."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from extractor.tree import Tree

#: What stands for the nodes from the first index up to the second; ``None`` for nothing.
Edit = tuple[int, int, Tree | None]


def empty_tree() -> Tree:
    """Arrays without a node."""
    return Tree([], [], [], [], [])


def first_nodes(tree: Tree, count: int) -> Tree:
    """The first ``count`` nodes in document order; elements that were cut open end there."""
    return Tree(
        tree.tag[:count],
        tree.parent[:count],
        [min(end, count) for end in tree.end[:count]],
        tree.attrs[:count],
        tree.text[:count],
    )


def spliced(tree: Tree, edits: Sequence[Edit]) -> Tree:
    """``tree`` with its edits made. They must be in order and not overlap. Linear."""
    if not edits:
        return tree
    out = empty_tree()
    size = len(tree)
    moved = [0] * (size + 1)
    gaps = _gaps(edits, size)
    starts: list[tuple[int, int]] = []
    for (start, stop), part in gaps:
        moved[start] = len(out)
        moved[start:stop] = range(len(out), len(out) + stop - start)
        _append(out, tree, start, stop)
        moved[stop] = len(out)
        if part is not None:
            starts.append((len(out), stop))
            _append(out, part, 0, len(part))
    for (start, stop), _ in gaps:
        low = moved[start] if stop > start else 0
        out.parent[low : low + stop - start] = [moved[above] for above in tree.parent[start:stop]]
        out.end[low : low + stop - start] = [moved[end] for end in tree.end[start:stop]]
    for (base, at), (_, _, part) in zip(
        starts, (e for e in edits if e[2] is not None), strict=True
    ):
        assert part is not None
        above = moved[tree.parent[at]]
        out.parent[base : base + len(part)] = [above if p < 0 else base + p for p in part.parent]
        out.end[base : base + len(part)] = [base + end for end in part.end]
    out.parent[0] = -1
    return out


def _gaps(edits: Sequence[Edit], size: int) -> list[tuple[tuple[int, int], Tree | None]]:
    """Ranges that stay, each with what follows it."""
    found = [((0, edits[0][0]), edits[0][2])]
    found += [((done[1], to_come[0]), to_come[2]) for done, to_come in pairwise(edits)]
    return [*found, ((edits[-1][1], size), None)]


def _append(out: Tree, source: Tree, start: int, stop: int) -> None:
    out.tag += source.tag[start:stop]
    out.attrs += source.attrs[start:stop]
    out.text += source.text[start:stop]
    out.parent += source.parent[start:stop]
    out.end += source.end[start:stop]
