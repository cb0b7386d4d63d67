"""The document as flat arrays: what every stage after the capture works on."""

from __future__ import annotations

from dataclasses import dataclass

from selectolax.lexbor import LexborHTMLParser, LexborNode

TEXT = "#text"

#: Element and text attributes of one node; ``None`` stands for "no attributes".
Attrs = dict[str, str]


@dataclass(slots=True)
class Tree:
    """A document in document order (preorder). Index 0 is ``html``; comments are left out.

    ``tag[i]`` is the element's name or ``#text``; ``parent[i]`` the parent's index (-1 for the root);
    ``end[i]`` the index just past the subtree; ``attrs[i]`` the attributes or ``None``; ``text[i]`` the
    data of a text node and ``""`` for elements. All five lists have the same length.
    """

    tag: list[str]
    parent: list[int]
    end: list[int]
    attrs: list[Attrs | None]
    text: list[str]

    def __len__(self) -> int:
        return len(self.tag)


def semantic(tree: Tree, node: int) -> str:
    """The tag that the page used, whatever the element had to be renamed to."""
    attrs = tree.attrs[node]
    if attrs is not None and "data-pf-tag" in attrs:
        return attrs["data-pf-tag"]
    return tree.tag[node]


def body_of(tree: Tree) -> int:
    """Index of ``body``, or 0 where there is none."""
    node = 1
    size = len(tree)
    while node < size:
        if tree.tag[node] == "body":
            return node
        node = tree.end[node]
    return 0


def path_of(tree: Tree, node: int) -> str:
    """A CSS-like path of tags with ``:nth-of-type`` from the root to ``node``."""
    steps: list[str] = []
    while node > 0:
        steps.append(_step(tree, node))
        node = tree.parent[node]
    return " > ".join(["html", *reversed(steps)])


def _step(tree: Tree, node: int) -> str:
    tag, parent = tree.tag[node], tree.parent[node]
    count = position = 0
    sibling, stop = parent + 1, tree.end[parent]
    while sibling < stop:
        if tree.tag[sibling] == tag:
            count += 1
            if sibling == node:
                position = count
        sibling = tree.end[sibling]
    return tag if count == 1 else f"{tag}:nth-of-type({position})"


def parse(html: str) -> Tree:
    """Parse a document with lexbor into flat arrays. Adjacent text nodes are joined. Linear."""
    return flatten(LexborHTMLParser(html).root)


def _add_text(tree: Tree, parent: int, data: str) -> None:
    """Append a text, to the one before it where they touch."""
    if tree.tag and tree.tag[-1] == TEXT and tree.parent[-1] == parent:
        tree.text[-1] += data
    elif data:
        tree.tag.append(TEXT)
        tree.parent.append(parent)
        tree.end.append(len(tree.tag))
        tree.attrs.append(None)
        tree.text.append(data)


def flatten(root: LexborNode | None, comments: list[str] | None = None) -> Tree:
    """An element, or a text, and all below it as flat arrays. Linear.

    Args:
        comments: takes the comments that are met, which are not in the arrays.
    """
    tree = Tree([], [], [], [], [])
    if root is None:
        return tree
    tags, parents, ends, all_attrs, texts = tree.tag, tree.parent, tree.end, tree.attrs, tree.text
    open_nodes: list[tuple[LexborNode, int]] = []
    node, parent = root, -1
    while True:
        name = node.tag
        child = None
        if name == "-text":
            _add_text(tree, parent, node.text_content or "")
        elif name and name[0] not in "-!":
            index = len(tags)
            raw = node.attributes
            tags.append(name)
            parents.append(parent)
            ends.append(0)
            if raw and None in raw.values():
                raw = {k: v or "" for k, v in raw.items()}
            all_attrs.append(raw or None)  # type: ignore[arg-type]  # no value is None here
            texts.append("")
            child = node.first_child
            if child is not None:
                open_nodes.append((node, index))
                parent = index
            else:
                ends[index] = index + 1
        elif comments is not None and name == "-comment":
            comments.append(node.comment_content or "")
        if child is not None:
            node = child
            continue
        following = node.next if open_nodes else None
        while following is None:
            if not open_nodes:
                return tree
            opened, index = open_nodes.pop()
            ends[index] = len(tags)
            parent = parents[index]
            following = opened.next if open_nodes else None
        node = following
