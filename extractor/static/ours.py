"""Names that only we may write: what a page wrote under them is renamed, or its meaning would be ours."""

from __future__ import annotations

from extractor.tree import Tree

_PREFIX = "data-pf-"
_PREFIXES = ("pf-", _PREFIX)


def disowned(tree: Tree) -> Tree:
    """The tree with ``pf-*`` elements as ``span`` and without ``data-pf-*`` attributes. Linear."""
    names = frozenset(tree.tag).union(*filter(None, tree.attrs))
    if not any(name.startswith(_PREFIXES) for name in names):
        return tree
    for node, tag in enumerate(tree.tag):
        if tag.startswith("pf-"):
            tree.tag[node] = "span"
        attrs = tree.attrs[node]
        if attrs and any(name.startswith(_PREFIX) for name in attrs):
            kept = {name: value for name, value in attrs.items() if not name.startswith(_PREFIX)}
            tree.attrs[node] = kept or None
    return tree
