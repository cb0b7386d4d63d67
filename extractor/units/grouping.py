"""Which runs stay together: a sentence or two, a line, a list item, a row."""

from __future__ import annotations

from collections.abc import Sequence

from extractor.tree import TEXT, Tree, semantic
from extractor.units.doc import Doc

ROW_CHARS = 1_500
ITEM_CHARS = 600
UNIT_CHARS = 200
#: Keys from here down are of runs that join no others.
_ALONE = -3
_MOST_CHARS = {"tr": ROW_CHARS} | dict.fromkeys(("li", "dd", "dt", "option"), ITEM_CHARS)


def group(doc: Doc, chars: Sequence[int]) -> None:
    """Join runs into units. ``chars`` are the visible code points of each node's subtree."""
    tree = doc.tree
    group = _groups(tree, chars)
    last_key, size = -2, 0
    for run in range(len(doc.run_node)):
        node = doc.run_node[run]
        owner = group[node]
        key = owner if owner >= 0 else doc.run_block[run]
        if run in doc.unread:
            # Never kept, so it is a unit of its own wherever it stands.
            key = _ALONE - run
        in_pre = owner < 0 and doc.run_html[run].endswith("\n")
        full = owner < 0 and size >= UNIT_CHARS
        if key != last_key or full:
            doc.unit_start.append(run)
            doc.unit_chars.append(0)
            doc.unit_group.append(doc.run_block[run] if key <= _ALONE else key)
            size = 0
        doc.unit_chars[-1] += doc.run_chars(run)
        size += len(doc.run_text[run])
        last_key = -2 if in_pre else key
    doc.unit_start.append(len(doc.run_node))
    assert len(tree) == len(group)


def _groups(tree: Tree, chars: Sequence[int]) -> list[int]:
    """For each node the row or list item that is kept whole around it, or -1."""
    group = [-1] * len(tree)
    tags, parents = tree.tag, tree.parent
    for node in range(1, len(tree)):
        above = group[parents[node]]
        if above >= 0:
            group[node] = above
        elif tags[node] != TEXT:
            most = _MOST_CHARS.get(semantic(tree, node))
            if most is not None and chars[node] <= most:
                group[node] = node
    return group
