"""Tables of data: which rows can be lines, and which cell stands in which column.

A cell that spans columns or rows is written in its first place; the others stay empty, so that every row
has all columns. A table inside a cell of a table with a caption or header is part of that cell; any
other table with tables in it is layout.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from extractor.tree import TEXT, Tree, semantic
from extractor.units import Doc

#: A table with more columns than this is read as layout.
MAX_COLUMNS = 40
_MAX_ROWSPAN = 1_000
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_GAP = -1


@dataclass(slots=True)
class Tables:
    """``holder`` maps a row to its table, ``grid`` a row to its cells by column (-1 where none begins),
    ``columns`` a table to its width, ``header`` says which rows name the columns."""

    holder: dict[int, int] = field(default_factory=dict)
    grid: dict[int, list[int]] = field(default_factory=dict)
    columns: dict[int, int] = field(default_factory=dict)
    header: set[int] = field(default_factory=set)


def tables_of(doc: Doc) -> Tables:
    """The tables of a document that are data. Linear in nodes and cells."""
    tree = doc.tree
    if "table" not in tree.tag and not any(
        attrs and "data-pf-tag" in attrs for attrs in tree.attrs
    ):
        return Tables()
    holder, bad = _rows(doc)
    tables = Tables(holder)
    _fill(tree, tables)
    bad |= {table for table, width in tables.columns.items() if not 2 <= width <= MAX_COLUMNS}
    bad |= {table for table in tables.columns if _inside(tree, table, ("pre", *_HEADINGS))}
    tables.holder = {row: table for row, table in holder.items() if table not in bad}
    seen: set[int] = set()
    for row, table in tables.holder.items():
        cells = tables.grid[row]
        cells += [_GAP] * (tables.columns[table] - len(cells))
        if _names_columns(tree, row, first=table not in seen):
            tables.header.add(row)
        seen.add(table)
    return tables


def _rows(doc: Doc) -> tuple[dict[int, int], set[int]]:
    """Rows with their tables, and the tables that are not data."""
    tree = doc.tree
    data = _data_tables(tree)
    table, row = [_GAP] * len(tree), [_GAP] * len(tree)
    bad: set[int] = set()
    rows: dict[int, int] = {}
    for node in range(1, len(tree)):
        above = tree.parent[node]
        table[node], row[node] = table[above], row[above]
        if tree.tag[node] == TEXT:
            continue
        tag = semantic(tree, node)
        if tag == "table" and not (table[above] in data and row[above] >= 0):
            bad |= {table[above]} if table[above] >= 0 else set()
            table[node], row[node] = node, _GAP
            if (tree.attrs[node] or {}).get("role") in ("presentation", "none"):
                bad.add(node)
        elif tag == "tr" and table[node] >= 0 and row[above] < 0:
            row[node] = node
            rows[node] = table[node]
        elif (tag in (*_HEADINGS, "pre", "hr", "blockquote") and row[node] >= 0) or (
            tag == "pre" and table[node] >= 0
        ):
            bad.add(table[node])
    _check_runs(doc, table, row, bad)
    return rows, bad


def _data_tables(tree: Tree) -> set[int]:
    """Tables that say what they hold, by a caption or a header cell of their own."""
    found, table = set(), [_GAP] * len(tree)
    for node in range(1, len(tree)):
        tag = semantic(tree, node) if tree.tag[node] != TEXT else TEXT
        table[node] = node if tag == "table" else table[tree.parent[node]]
        if tag in ("caption", "th") and table[node] >= 0:
            found.add(table[node])
    return found


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


def _fill(tree: Tree, tables: Tables) -> None:
    """Place the cells of all rows; rows that span reach to the end of their group at most."""
    below: dict[int, dict[int, int]] = {}
    for row, table in tables.holder.items():
        group = tree.parent[row]
        taken = below.get(group, {})
        cells: list[int] = []
        later: dict[int, int] = {}
        for cell in cells_of(tree, row):
            while len(cells) in taken:
                cells.append(_GAP)
            wide, high = _span(tree, cell, "colspan", MAX_COLUMNS), _span(tree, cell, "rowspan", 0)
            later |= {len(cells) + i: high - 1 for i in range(wide) if high > 1}
            cells += [cell, *[_GAP] * (wide - 1)]
        cells += [_GAP] * (max(taken, default=-1) + 1 - len(cells))
        below[group] = later | {at: n - 1 for at, n in taken.items() if n > 1}
        tables.grid[row] = cells
        tables.columns[table] = max(tables.columns.get(table, 0), len(cells))


def cells_of(tree: Tree, row: int) -> list[int]:
    """The cells of a row, in order."""
    found, child = [], row + 1
    while child < tree.end[row]:
        if semantic(tree, child) in ("td", "th"):
            found.append(child)
        child = tree.end[child]
    return found


def _span(tree: Tree, cell: int, name: str, most: int) -> int:
    value = (tree.attrs[cell] or {}).get(name, "1")
    number = int(value) if value.isascii() and value.isdigit() and len(value) < 6 else 1
    if name == "rowspan" and number == 0:
        return _MAX_ROWSPAN
    return min(max(number, 1), most or _MAX_ROWSPAN)


def _names_columns(tree: Tree, row: int, *, first: bool) -> bool:
    if semantic(tree, tree.parent[row]) == "thead":
        return True
    cells = cells_of(tree, row)
    named = [cell for cell in cells if semantic(tree, cell) == "th"]
    if len(named) == len(cells):
        return bool(cells)
    rest = [cell for cell in cells if cell not in named]
    empty = not any("".join(tree.text[cell : tree.end[cell]]).strip() for cell in rest)
    return first and len(named) > 1 and empty
