"""The order in which runs and units are made."""

from __future__ import annotations

from collections.abc import Sequence

from extractor.attributes import kept_attributes, output_tags, targets
from extractor.tree import TEXT, Attrs, Tree
from extractor.units.blocks import ancestors, is_block, written
from extractor.units.doc import Doc, Hidden
from extractor.units.grouping import group
from extractor.units.runs import Runs
from extractor.units.spacing import visible_chars


def build(
    tree: Tree,
    state: list[int],
    region: list[int],
    roots: dict[int, str],
    base_url: str,
    *,
    hidden: Sequence[Hidden] = (),
    chars: Sequence[int] | None = None,
) -> Doc:
    """Runs and units of a judged document.

    Args:
        state: per node 0 visible, 1 collapsed, 2 hidden.
        region: per node, the index of its region; ``roots`` maps a region's root node to its role.
        base_url: what relative addresses in the output are relative to; empty keeps them absolute.
        chars: visible code points of each node's subtree, where they are known already.
        hidden: what was taken out of the document before, for the report.
    """
    size = len(tree)
    blocks = [False] * size
    for node, tag in enumerate(tree.tag):
        if tag != TEXT:
            blocks[node] = is_block(tree, node)
    attrs = _output_attributes(tree, state, roots, base_url)
    shown = written(tree, blocks, attrs, roots)
    up, block = ancestors(tree, blocks, shown)
    tags = output_tags(tree, blocks)
    doc = Doc(tree, base_url, state, region, attrs, shown, tags, up, block)
    doc.hidden = list(hidden)
    Runs(doc, blocks).collect()
    group(doc, visible_chars(tree, state) if chars is None else chars)
    return doc


def _output_attributes(
    tree: Tree, state: list[int], roots: dict[int, str], base_url: str
) -> list[Attrs | None]:
    found: list[Attrs | None] = [None] * len(tree)
    pointed_at = targets(tree, base_url)
    for node, tag in enumerate(tree.tag):
        if tag == TEXT or tree.attrs[node] is None and tag != "button" and node not in roots:
            # What is collapsed says so in an attribute.
            continue
        kept = kept_attributes(tree, node, base_url, pointed_at)
        if state[node] == 1 and state[tree.parent[node]] == 0:
            kept["data-pf-state"] = "collapsed"
        role = roots.get(node)
        if role and role not in (tree.tag[node], kept.get("role"), "other"):
            kept["data-pf-region"] = role
        found[node] = kept or None
    return found
