"""Closed parts and tabs: those whose text is in the document, and those that are built when opened."""

from __future__ import annotations

from collections.abc import Iterator

from extractor.unseen.lookup import CONTROL_CHARS, Found, Kind, Lookup


def closed_parts(page: Lookup) -> Iterator[Found]:
    """Parts whose text is in the document though it is closed on the page."""
    tree, last, inside = page.tree, (-1, ""), 0
    for node in page.telling:
        kind = page.attr(node, "data-pf-c")
        if not kind or node < inside or page.doc.state[node] == 2:
            continue
        inside = tree.end[node]
        # A closed `details` marks each of its children: they are one part.
        part = (tree.parent[node], kind)
        if (part != last or kind != "details") and page.text(node):
            control = _opener_of(page, node)
            name = page.text(control, CONTROL_CHARS) if control >= 0 else ""
            yield Found(_kind(kind), node, page.text(node), name)
            last = part


def _kind(name: str) -> Kind:
    known: dict[str, Kind] = {
        "details": "details", "tab": "tab", "until_found": "until_found", "menu": "menu",
    }  # fmt: skip
    return known.get(name, "accordion")


def _opener_of(page: Lookup, node: int) -> int:
    """The control of a closed part: its summary, what names its id, or the control before it."""
    tree = page.tree
    identity = page.attr(node, "id")
    if identity in page.opener:
        return page.opener[identity]
    above = tree.parent[node]
    if page.tag(above) == "details":
        return above + 1 if page.tag(above + 1) == "summary" else -1
    before = page.before(node)
    for inner in range(before, tree.end[before]) if before >= 0 else ():
        if page.attr(inner, "aria-expanded") == "false":
            return inner
    return page.by_id.get(page.attr(node, "aria-labelledby"), -1)


def unbuilt_parts(page: Lookup) -> Iterator[Found]:
    """Tabs and closed controls whose part is not in the document at all."""
    for node in page.telling:
        role = page.attr(node, "role")
        tab = role == "tab" and page.attr(node, "aria-selected") != "true"
        closed = page.attr(node, "aria-expanded") == "false"
        popup = page.attr(node, "aria-haspopup") not in ("", "false")
        if not (tab or closed) or popup or role in ("combobox", "menuitem", "treeitem"):
            continue
        target = next((page.by_id[i] for i in _controls(page, node) if i in page.by_id), -1)
        if target >= 0 and page.text(target) or not tab and not _controls(page, node):
            continue
        kind: Kind = "tab" if tab else "accordion"
        text = page.text(node, CONTROL_CHARS)
        if text and not _has_closed_neighbour(page, node):
            yield Found(kind, node, "opens a part that is not in the document", text)


def _controls(page: Lookup, node: int) -> list[str]:
    return page.attr(node, "aria-controls").split()


def _has_closed_neighbour(page: Lookup, node: int) -> bool:
    after = page.tree.end[node]
    return after < len(page.tree) and bool(page.attr(after, "data-pf-c"))
