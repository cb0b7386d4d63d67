"""Which elements start a line of their own, and which are written at all."""

from __future__ import annotations

from extractor.tree import TEXT, Attrs, Tree

INLINE = frozenset(
    "a abbr acronym b bdi bdo big br button cite code data del dfn em font i img input ins kbd label mark "
    "meter output progress q ruby rt rp s samp select slot small span strike strong sub sup textarea "
    "time tt u var wbr area map picture source track embed link meta param base option optgroup".split()
)
BARE = frozenset({"div", "span", "slot", "font"})


def is_block(tree: Tree, node: int) -> bool:
    """Whether an element starts a line of its own, by its computed display where that is known."""
    attrs = tree.attrs[node]
    display = attrs.get("data-pf-d") if attrs else None
    if display:
        return not display.startswith(("inline", "ruby", "contents"))
    tag = tree.tag[node]
    return tag not in INLINE and "-" not in tag or tag == "pf-frame"


def written(
    tree: Tree, blocks: list[bool], attrs: list[Attrs | None], roots: dict[int, str]
) -> list[bool]:
    size = len(tree)
    shown = [False] * size
    children, text_inside = [0] * size, [False] * size
    block_child = [False] * size
    tags, parents, texts = tree.tag, tree.parent, tree.text
    for node in range(1, size):
        above = parents[node]
        if tags[node] == TEXT:
            if not text_inside[above] and not texts[node].isspace():
                text_inside[above] = bool(texts[node])
        else:
            children[above] += 1
            if blocks[node]:
                block_child[above] = True
    for node, tag in enumerate(tags):
        if tag == TEXT:
            continue
        bare = not attrs[node] and (tag in BARE or "-" in tag and tag != "pf-frame")
        if not bare:
            shown[node] = True
        elif blocks[node]:
            alone = children[node] == 1 and not text_inside[node] and block_child[node]
            shown[node] = not alone
    return shown


def ancestors(tree: Tree, blocks: list[bool], shown: list[bool]) -> tuple[list[int], list[int]]:
    size = len(tree)
    up, block = [-1] * size, [0] * size
    parents = tree.parent
    for node in range(1, size):
        above = parents[node]
        up[node] = above if shown[above] else up[above]
        block[node] = above if blocks[above] else block[above]
    return up, block


def ancestors_of(tree: Tree, shown: list[bool]) -> list[int]:
    """For each node the nearest element around it that is written, or -1. Linear."""
    up = [-1] * len(tree)
    for node, above in enumerate(tree.parent):
        if node:
            up[node] = above if shown[above] else up[above]
    return up
