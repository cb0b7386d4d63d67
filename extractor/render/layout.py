"""Which line-like block each run stands in, and what stands around that block."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from extractor.render.escape import longest_run
from extractor.render.standins import footnotes
from extractor.render.tables import Tables, tables_of
from extractor.tree import TEXT, Tree, semantic
from extractor.units import Doc, is_block

_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_CONTAINERS = frozenset({"blockquote", "li", "dd", "dt"})
_LANGUAGE = re.compile(
    r"(?:^|\s)(?:(?:language|lang|highlight-source|highlight)-|brush:\s*)([\w+#.-]{1,30})", re.I
)
#: Lines that are indented, or columns of spaces.
_ALIGNED = re.compile(r"\n[ \t]+\S|\S   +\S")
TEXT_BLOCK, HEADING, ROW, PRE, RULE = "text", "heading", "row", "pre", "rule"


@dataclass(slots=True)
class Layout:
    """``leaf`` and ``kind`` have one entry a run: the block that it is written in and what that is.

    ``chain`` has one entry a node: the quotes and list items around it and itself. ``notes`` maps a list
    item that is a footnote to its label, ``tasks`` one that begins with a check box to that box.
    """

    doc: Doc
    leaf: list[int]
    kind: list[str]
    chain: list[tuple[int, ...]]
    tables: Tables
    notes: dict[int, str]
    tasks: dict[int, int] = field(default_factory=dict)
    numbers: dict[int, dict[int, int]] = field(default_factory=dict)

    def of(self, doc: Doc) -> Layout:
        """The same for a document that differs in its markup alone."""
        return self if doc is self.doc else replace(self, doc=doc, notes=footnotes(doc))

    def level(self, node: int) -> int:
        return _HEADINGS[semantic(self.doc.tree, node)]

    def ordinal(self, item: int) -> int | None:
        """The number of a list item; ``None`` where it has a bullet."""
        tree, above = self.doc.tree, self.doc.tree.parent[item]
        if semantic(tree, above) != "ol":
            return None
        if above not in self.numbers:
            self.numbers[above] = _count(tree, above)
        return self.numbers[above].get(item)

    def language(self, pre: int) -> str:
        """The language that a code block, its code or its wrappers name, by the usual classes; else empty."""
        tree = self.doc.tree
        inside = range(pre, min(pre + 3, tree.end[pre]))
        for node in (*inside, tree.parent[pre], tree.parent[max(tree.parent[pre], 0)]):
            classes = (tree.attrs[node] or {}).get("class", "") if tree.tag[node] != TEXT else ""
            match = _LANGUAGE.search(classes)
            if match and match.group(1).lower() not in ("text", "none", "plaintext", "source"):
                return match.group(1).lower()
        return ""

    def number(self, item: int) -> str:
        """What stands for a list item's number where counting does not give it, such as ``(a)``."""
        return " ".join((self.doc.tree.attrs[item] or {}).get("data-pf-number", "").split())[:20]

    def fence(self, pre: int) -> str:
        """A fence longer than any run of backticks in the whole block."""
        tree = self.doc.tree
        text = "".join(tree.text[pre : tree.end[pre]])
        return "`" * max(3, longest_run(text, "`") + 1)


def layout_of(doc: Doc) -> Layout:
    """The layout of a document. Linear."""
    tables, tasks = tables_of(doc), dict[int, int]()
    tree, size = doc.tree, len(doc.tree)
    row, pre, heading = [-1] * size, [-1] * size, [-1] * size
    chain: list[tuple[int, ...]] = [()] * size
    for node in range(1, size):
        above = tree.parent[node]
        row[node], pre[node] = row[above], pre[above]
        heading[node], chain[node] = heading[above], chain[above]
        if tree.tag[node] == TEXT:
            continue
        tag = semantic(tree, node)
        if row[node] < 0 and node in tables.holder:
            row[node] = node
        if pre[node] < 0 and (tag == "pre" or _is_code(doc, node, tag)):
            pre[node] = node
        if heading[node] < 0 and tag in _HEADINGS:
            heading[node] = node
        if (
            tag in _CONTAINERS
            and is_block(tree, node)
            and max(row[node], pre[node], heading[node]) < 0
        ):
            chain[node] = (*chain[above], node)
            box = _check_box(doc, node) if tag == "li" else -1
            if box >= 0:
                tasks[node] = box
    leaf, kind = [], []
    for run, node in enumerate(doc.run_node):
        if row[node] >= 0:
            found = (row[node], ROW)
        elif tree.tag[node] == "hr":
            found = (node, RULE)
        elif pre[node] >= 0:
            found = (pre[node], PRE)
        elif heading[node] >= 0:
            found = (heading[node], HEADING)
        else:
            found = (doc.run_block[run], TEXT_BLOCK)
        leaf.append(found[0])
        kind.append(found[1])
    return Layout(doc, leaf, kind, chain, tables, footnotes(doc), tasks)


def _is_code(doc: Doc, node: int, tag: str) -> bool:
    """Whether an element's white space is kept by style and says something, as in code; not in prose."""
    tree = doc.tree
    if (tree.attrs[node] or {}).get("data-pf-pre", "0") == "0":
        return False
    if tag == "code":
        return True
    if not is_block(tree, node) or tag in (
        "table",
        "tr",
        "td",
        "th",
        "thead",
        "tbody",
        "li",
        *_HEADINGS,
    ):
        return False
    inside = range(node + 1, tree.end[node])
    plain = all(tree.tag[n] == TEXT or not is_block(tree, n) and tree.tag[n] != "a" for n in inside)
    return plain and _ALIGNED.search("".join(tree.text[n] for n in inside)) is not None


def _check_box(doc: Doc, item: int) -> int:
    """The check box that a list item with text begins with; -1 where there is none."""
    tree, node = doc.tree, item + 1
    while node < tree.end[item]:
        if tree.tag[node] == "input":
            kind = (tree.attrs[node] or {}).get("type", "").lower()
            said = "".join(tree.text[node : tree.end[item]]).strip()
            return node if kind == "checkbox" and doc.state[node] < 2 and said else -1
        words = tree.tag[node] == TEXT and tree.text[node].strip()
        if words or tree.tag[node] not in (TEXT, "label", "p", "span"):
            return -1
        node += 1
    return -1


def _count(tree: Tree, above: int) -> dict[int, int]:
    attrs = tree.attrs[above] or {}
    items, child = [], above + 1
    while child < tree.end[above]:
        if semantic(tree, child) == "li":
            items.append(child)
        child = tree.end[child]
    step = -1 if "reversed" in attrs else 1
    number = _integer(attrs.get("start", ""), len(items) if step < 0 else 1)
    found: dict[int, int] = {}
    for item in items:
        number = _integer((tree.attrs[item] or {}).get("value", ""), number)
        found[item] = number
        number += step
    return found


def _integer(text: str, default: int) -> int:
    digits = text.strip().removeprefix("-")
    return int(text) if digits.isascii() and digits.isdigit() and len(digits) < 10 else default
