"""What is written in one piece: images, controls, empty cells."""

from __future__ import annotations

from extractor.serialise import escape_text, open_tag
from extractor.tree import TEXT
from extractor.units.doc import Doc
from extractor.visibility import HIDDEN

#: Elements that are atoms wherever they stand.
ATOMS = frozenset({"img", "input", "select", "textarea", "hr", "progress", "meter"})


def atom(doc: Doc, node: int) -> tuple[str, str]:
    """An atom as HTML, and the visible text in it."""
    tree, tag = doc.tree, doc.tree.tag[node]
    name, opened = doc.tags[node], open_tag(doc.tags[node], doc.attrs[node])
    if tag in ("img", "input", "hr"):
        return opened, ""
    if tag == "select":
        return _select(doc, node, opened)
    text = "".join(tree.text[node + 1 : tree.end[node]])
    guard = "\n" if text.startswith("\n") else ""
    return f"{opened}{guard}{escape_text(text)}</{name}>", text


def _select(doc: Doc, node: int, opened: str) -> tuple[str, str]:
    tree = doc.tree
    parts, words = [opened], list[str]()
    closers: list[tuple[int, str]] = []
    for child in range(node + 1, tree.end[node]):
        while closers and closers[-1][0] <= child:
            parts.append(closers.pop()[1])
        if doc.state[child] == HIDDEN:
            continue
        if tree.tag[child] == TEXT:
            words.append(tree.text[child].strip())
            parts.append(escape_text(words[-1]))
        else:
            parts.append(open_tag(tree.tag[child], doc.attrs[child]))
            closers.append((tree.end[child], f"</{tree.tag[child]}>"))
    parts += [closer for _, closer in reversed(closers)]
    return "".join(parts) + "</select>", " ".join(words)
