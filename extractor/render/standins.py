"""What is written in place of a whole element: a formula as its TeX, a reference to a footnote."""

from __future__ import annotations

import re
from collections.abc import Iterator

from extractor.tree import TEXT, Attrs, semantic
from extractor.units import Doc

_MARKED = ("doc-noteref", "footnote-ref", "footnote-reference", "footnote_ref", "fn-ref", "fnref")
_NOT_A_LABEL = re.compile(r"[^\w-]+")


def standins(doc: Doc, *, markdown: bool) -> dict[int, tuple[int, str]]:
    """For each node inside such an element, the element and what is written for it. Linear."""
    instead = _formulas(doc)
    if markdown:
        labels = footnotes(doc)
        for node, target in references(doc).items():
            if target in labels:
                instead[node] = f"[^{labels[target]}]"
    found: dict[int, tuple[int, str]] = {}
    for root, text in sorted(instead.items()):
        for node in range(root, doc.tree.end[root]):
            found.setdefault(node, (root, text))
    return found


def _formulas(doc: Doc) -> dict[int, str]:
    formulas = {
        node: tex
        for node, attrs in enumerate(doc.tree.attrs)
        if attrs and (tex := attrs.get("data-pf-tex")) and node
    }
    found, alone = dict[int, str](), _only_runs(doc) if formulas else ()
    for node, tex in formulas.items():
        mark = "$$" if node in alone else "$"
        found[node] = mark + " ".join(tex.split()) + mark
    return found


def _only_runs(doc: Doc) -> set[int]:
    """Elements with a formula that are all there is in their block: displayed formulas."""
    tree, found = doc.tree, set[int]()
    blocks: dict[int, set[int]] = {}
    for run, node in enumerate(doc.run_node):
        up = node
        for _ in range(4):
            if up <= 0 or "data-pf-tex" in (tree.attrs[up] or {}):
                break
            up = tree.parent[up]
        blocks.setdefault(doc.run_block[run], set()).add(up)
    for block, owners in blocks.items():
        if len(owners) == 1 and semantic(tree, block) not in ("td", "th", "li"):
            found |= owners
    return found


def references(doc: Doc) -> dict[int, int]:
    """Elements that refer to a list item of this page as to a footnote, with that item."""
    tree, found = doc.tree, dict[int, int]()
    if not any(href and href[0] == "#" for href in _addresses(doc)):
        return found
    ids = {
        attrs["id"]: node
        for node, attrs in enumerate(tree.attrs)
        if attrs and "id" in attrs and semantic(tree, node) == "li" and _is_outermost(doc, node)
    }
    for node in range(1, len(tree)) if ids else ():
        href = (doc.attrs[node] or {}).get("href", "")
        if tree.tag[node] != "a" or not href.startswith("#") or href[1:] not in ids:
            continue
        above, target = tree.parent[node], ids[href[1:]]
        if target <= node < tree.end[target]:
            continue
        if semantic(tree, above) == "sup":
            found[above if _alone(doc, above, node) else node] = target
        elif _is_marked(tree.attrs[node]) or _holds_only(doc, node, "sup"):
            found[node] = target
    return found


def _addresses(doc: Doc) -> Iterator[str | None]:
    return (attrs.get("href") for attrs in doc.attrs if attrs)


def footnotes(doc: Doc) -> dict[int, str]:
    """List items that are footnotes, with the label that references to them have."""
    labels: dict[int, str] = {}
    taken: set[str] = set()
    for node, target in references(doc).items():
        if target in labels:
            continue
        text = "".join(doc.tree.text[node : doc.tree.end[node]])
        label = _NOT_A_LABEL.sub("", text)[:20] or str(len(labels) + 1)
        while label in taken:
            label += "-"
        labels[target] = label
        taken.add(label)
    return labels


def _is_outermost(doc: Doc, item: int) -> bool:
    """Whether no quote, list item, cell or code block is around it, where no footnote can stand."""
    above = doc.tree.parent[item]
    while above > 0:
        if semantic(doc.tree, above) in ("li", "blockquote", "dd", "dt", "td", "th", "pre"):
            return False
        above = doc.tree.parent[above]
    return True


def _alone(doc: Doc, above: int, node: int) -> bool:
    tree = doc.tree
    return all(
        not tree.text[other].strip()
        for other in range(above + 1, tree.end[above])
        if tree.tag[other] == TEXT and not node < other < tree.end[node]
    )


def _holds_only(doc: Doc, node: int, tag: str) -> bool:
    tree = doc.tree
    return node + 1 < tree.end[node] == tree.end[node + 1] and semantic(tree, node + 1) == tag


def _is_marked(attrs: Attrs | None) -> bool:
    said = f"{(attrs or {}).get('role', '')} {(attrs or {}).get('class', '')}"
    return any(name in said for name in _MARKED)
