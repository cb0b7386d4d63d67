"""Which runs stay together: a sentence or two, a line, a list item, a row."""

from __future__ import annotations

from extractor.tree import TEXT, semantic
from extractor.units.doc import Doc
from extractor.units.spacing import visible_chars

ROW_CHARS = 1_500
ITEM_CHARS = 600
UNIT_CHARS = 200


def group(doc: Doc) -> None:
    """Join runs into units."""
    tree = doc.tree
    group = _groups(doc)
    last_key, size = -2, 0
    for run in range(len(doc.run_node)):
        node = doc.run_node[run]
        owner = group[node]
        key = owner if owner >= 0 else doc.run_block[run]
        in_pre = owner < 0 and doc.run_html[run].endswith("\n")
        full = owner < 0 and size >= UNIT_CHARS
        if key != last_key or full:
            doc.unit_start.append(run)
            doc.unit_chars.append(0)
            doc.unit_group.append(key)
            size = 0
        doc.unit_chars[-1] += len(doc.run_text[run])
        size += len(doc.run_text[run])
        last_key = -2 if in_pre else key
    doc.unit_start.append(len(doc.run_node))
    assert len(tree) == len(group)


def _groups(doc: Doc) -> list[int]:
    """For each node the row or list item that is kept whole around it, or -1."""
    tree = doc.tree
    chars = visible_chars(tree, doc.state)
    group = [-1] * len(tree)
    for node in range(1, len(tree)):
        above = group[tree.parent[node]]
        if above >= 0:
            group[node] = above
            continue
        tag = semantic(tree, node) if tree.tag[node] != TEXT else TEXT
        whole = tag == "tr" and chars[node] <= ROW_CHARS
        if whole or tag in ("li", "dd", "dt", "option") and chars[node] <= ITEM_CHARS:
            group[node] = node
    return group
