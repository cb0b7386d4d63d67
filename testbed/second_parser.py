"""An independent HTML5 parser's view of a document, as our arrays."""

from __future__ import annotations

from typing import Any

from justhtml import JustHTML

from extractor.tree import TEXT, Tree


def justhtml_tree(html: str) -> Tree:
    """Parse with justhtml (unsanitised); comments left out, adjacent text joined."""
    document = JustHTML(html, sanitize=False).root
    root = next(child for child in document.children or () if child.name == "html")
    tree = Tree([], [], [], [], [])
    stack: list[tuple[Any, int]] = [(root, -1)]
    while stack:
        node, parent = stack.pop()
        if node is None:
            tree.end[parent] = len(tree)
            continue
        if node.name == "#text":
            _text(tree, parent, node.data)
            continue
        if node.name.startswith(("#", "!")):
            continue
        index = len(tree)
        tree.tag.append(node.name)
        tree.parent.append(parent)
        tree.end.append(0)
        tree.attrs.append({k: v or "" for k, v in (node.attrs or {}).items()} or None)
        tree.text.append("")
        stack.append((None, index))
        stack.extend((child, index) for child in reversed(node.children))
    return tree


def _text(tree: Tree, parent: int, data: str) -> None:
    if tree.tag[-1] == TEXT and tree.parent[-1] == parent:
        tree.text[-1] += data
        return
    tree.tag.append(TEXT)
    tree.parent.append(parent)
    tree.end.append(len(tree))
    tree.attrs.append(None)
    tree.text.append(data)
