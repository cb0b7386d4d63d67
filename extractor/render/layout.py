"""Which line-like block each run stands in, and what stands around that block."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from extractor.render.escape import longest_run
from extractor.tree import TEXT, Tree, semantic
from extractor.units import Doc, is_block

_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_CONTAINERS = frozenset({"blockquote", "li", "dd", "dt"})
_LANGUAGE = re.compile(r"(?:^|\s)(?:language|lang|highlight-source)-([\w+#.-]{1,30})")
#: A table with more columns than this is read as layout.
MAX_COLUMNS = 40
TEXT_BLOCK, HEADING, ROW, PRE, RULE = "text", "heading", "row", "pre", "rule"


@dataclass(slots=True)
class Layout:
    """``leaf`` and ``kind`` have one entry a run: the block that it is written in and what that is.

    ``chain`` has one entry a node: the quotes and list items around it and itself. ``table`` maps a
    row to its table, ``columns`` a table to its width. ``level`` maps a heading to its rank.
    """

    doc: Doc
    leaf: list[int]
    kind: list[str]
    chain: list[tuple[int, ...]]
    table: dict[int, int]
    columns: dict[int, int]
    numbers: dict[int, dict[int, int]] = field(default_factory=dict)

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

    def cells(self, row: int) -> list[int]:
        tree, found, child = self.doc.tree, [], row + 1
        while child < tree.end[row]:
            if semantic(tree, child) in ("td", "th"):
                found.append(child)
            child = tree.end[child]
        return found

    def is_header(self, row: int) -> bool:
        tree = self.doc.tree
        if semantic(tree, tree.parent[row]) == "thead":
            return True
        cells = self.cells(row)
        return bool(cells) and all(semantic(tree, cell) == "th" for cell in cells)

    def language(self, pre: int) -> str:
        """The language that a code block names, by the usual classes; empty when it names none."""
        tree = self.doc.tree
        for node in (pre, *range(pre + 1, min(pre + 3, tree.end[pre]))):
            match = _LANGUAGE.search((tree.attrs[node] or {}).get("class", ""))
            if match:
                return match.group(1)
        return ""

    def fence(self, pre: int) -> str:
        """A fence longer than any run of backticks in the whole block."""
        tree = self.doc.tree
        text = "".join(tree.text[pre : tree.end[pre]])
        return "`" * max(3, longest_run(text, "`") + 1)


def layout_of(doc: Doc) -> Layout:
    """The layout of a document. Linear."""
    table_of_row, columns = _tables(doc)
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
        if row[node] < 0 and node in table_of_row:
            row[node] = node
        if pre[node] < 0 and (
            tag == "pre" or (tag == "code" and "data-pf-pre" in (tree.attrs[node] or {}))
        ):
            pre[node] = node
        if heading[node] < 0 and tag in _HEADINGS:
            heading[node] = node
        if (
            tag in _CONTAINERS
            and is_block(tree, node)
            and max(row[node], pre[node], heading[node]) < 0
        ):
            chain[node] = (*chain[above], node)
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
    return Layout(doc, leaf, kind, chain, table_of_row, columns)


def _tables(doc: Doc) -> tuple[dict[int, int], dict[int, int]]:
    """Tables of data: rows are never cut, and nothing in them needs lines of its own."""
    tree = doc.tree
    table, row = [-1] * len(tree), [-1] * len(tree)
    bad: set[int] = set()
    rows: dict[int, int] = {}
    for node in range(1, len(tree)):
        above = tree.parent[node]
        table[node], row[node] = table[above], row[above]
        if tree.tag[node] == TEXT:
            continue
        tag = semantic(tree, node)
        if tag == "table":
            bad |= {table[above]} if table[above] >= 0 else set()
            table[node], row[node] = node, -1
            if (tree.attrs[node] or {}).get("role") in ("presentation", "none"):
                bad.add(node)
        elif tag == "tr" and table[node] >= 0:
            row[node] = node
            rows[node] = table[node]
        elif (tag in (*_HEADINGS, "pre", "hr", "blockquote") and row[node] >= 0) or (
            tag == "pre" and table[node] >= 0
        ):
            bad.add(table[node])
    _check_runs(doc, table, row, bad)
    columns: dict[int, int] = {}
    layout = Layout(doc, [], [], [], rows, columns)
    for each, holder in rows.items():
        columns[holder] = max(
            columns.get(holder, 0), sum(span(tree, c) for c in layout.cells(each))
        )
    bad |= {holder for holder, width in columns.items() if not 2 <= width <= MAX_COLUMNS}
    bad |= {holder for holder in columns if _inside(tree, holder, ("pre", *_HEADINGS))}
    return {each: holder for each, holder in rows.items() if holder not in bad}, columns


def _inside(tree: Tree, node: int, tags: tuple[str, ...]) -> bool:
    node = tree.parent[node]
    while node > 0:
        if semantic(tree, node) in tags:
            return True
        node = tree.parent[node]
    return False


def _check_runs(doc: Doc, table: list[int], row: list[int], bad: set[int]) -> None:
    """A row must be one unit, and between two rows of a table there may be nothing else."""
    owner: dict[int, int] = {}
    started: set[int] = set()
    for unit in range(doc.units):
        for run in doc.runs_of(unit):
            node = doc.run_node[run]
            if table[node] < 0:
                continue
            if row[node] < 0:
                bad |= {table[node]} & started
                continue
            started.add(table[node])
            if owner.setdefault(row[node], unit) != unit:
                bad.add(table[node])


def span(tree: Tree, cell: int) -> int:
    """How many columns a cell takes."""
    value = (tree.attrs[cell] or {}).get("colspan", "1")
    return min(max(int(value), 1), MAX_COLUMNS) if value.isascii() and value.isdigit() else 1


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
