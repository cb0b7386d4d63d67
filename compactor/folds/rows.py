"""Texts that are tables: JSON arrays, JSON lines, CSV, TSV, tables of Markdown and of terminals."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from compactor.messages import Json

_LEAST_ROWS = 4
_MOST_CHARS = 20_000_000
_MARKDOWN_RULE = re.compile(r"\s*\|?[\s:|+-]*-[\s:|+-]*\|?\s*")
_WIDE_GAP = re.compile(r"\s{2,}|\t")


@dataclass(frozen=True, slots=True)
class Table:
    """Columns by name and rows of values: strings, numbers, booleans, ``None``, or JSON for what is nested.

    ``around`` says what stood beside the rows.
    """

    kind: str
    columns: tuple[str, ...]
    rows: list[tuple[Json, ...]]
    around: str = ""


def table_of(text: str) -> Table | None:
    """The table that a text is; ``None`` if it is none. Linear."""
    bare = text.strip()
    if not bare or len(bare) > _MOST_CHARS:
        return None
    if bare[0] in "[{":
        return _from_json(bare) or _from_json_lines(bare)
    lines = [line for line in bare.split("\n") if line.strip()]
    if len(lines) <= _LEAST_ROWS:
        return None
    return _from_pipes(lines) or _from_separated(lines)


def _parsed(text: str) -> Json:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _from_json(text: str) -> Table | None:
    value = _parsed(text)
    if isinstance(value, list):
        return _of_items(value, "JSON array")
    if not isinstance(value, dict):
        return None
    lists = {key: item for key, item in value.items() if isinstance(item, list)}
    if not lists:
        return None
    key = max(lists, key=lambda name: len(lists[name]))
    table = _of_items(lists[key], f"JSON object, its {key!r}:")
    if table is None:
        return None
    others = {name: item for name, item in value.items() if name != key}
    around = ", ".join(f"{name}: {_short(item)}" for name, item in others.items())
    return Table(table.kind, table.columns, table.rows, around)


def _from_json_lines(text: str) -> Table | None:
    lines = [line for line in text.split("\n") if line.strip()]
    if len(lines) < _LEAST_ROWS:
        return None
    items = []
    for line in lines:
        item = _parsed(line)
        if not isinstance(item, dict):
            return None
        items.append(item)
    return _of_items(items, "JSON lines")


def _of_items(items: Sequence[Json], kind: str) -> Table | None:
    if len(items) < _LEAST_ROWS:
        return None
    if all(isinstance(item, dict) for item in items):
        columns = tuple(dict.fromkeys(name for item in items for name in item))
        if 0 < len(columns) <= 200:
            rows = [tuple(_flat(item.get(name)) for name in columns) for item in items]
            return Table(kind, columns, rows)
    return Table(kind, ("value",), [(_flat(item),) for item in items])


def _flat(value: Json) -> Json:
    if isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False)
    return value


def _short(value: Json) -> str:
    said = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return said if len(said) <= 60 else f"{said[:59]}…"


def _from_pipes(lines: Sequence[str]) -> Table | None:
    at = next((i for i, line in enumerate(lines[:4]) if _is_rule(line)), -1)
    if at != 1 or "|" not in lines[0]:
        return None
    cells = [_cells(line) for line in lines[2:] if "|" in line and not _is_rule(line)]
    columns = _cells(lines[0])
    return _table("table", columns, cells, len(lines) - 2)


def _is_rule(line: str) -> bool:
    return "-" in line and _MARKDOWN_RULE.fullmatch(line) is not None


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def _from_separated(lines: Sequence[str]) -> Table | None:
    for mark, kind in ((",", "CSV"), ("\t", "TSV"), (";", "CSV")):
        if mark not in lines[0]:
            continue
        try:
            read = list(csv.reader(lines, delimiter=mark))
        except csv.Error:
            continue
        if len(read[0]) >= (3 if mark == "," else 2) and all(cell.strip() for cell in read[0]):
            made = _table(kind, read[0], read[1:], len(lines) - 1)
            if made is not None and _looks_typed(made):
                return made
    columns = _WIDE_GAP.split(lines[0].strip())
    if len(columns) >= 3:
        made = _table(
            "table", columns, [_WIDE_GAP.split(line.strip()) for line in lines[1:]], len(lines) - 1
        )
        return made if made is not None and _looks_typed(made) else None
    return None


def _table(
    kind: str, columns: Sequence[str], cells: Sequence[Sequence[str]], count: int
) -> Table | None:
    """A table if nearly all lines have as many cells as the first."""
    fitting = [row for row in cells if len(row) == len(columns)]
    if len(fitting) < _LEAST_ROWS or len(fitting) < 0.95 * count:
        return None
    return Table(kind, tuple(columns), [tuple(map(_typed, row)) for row in fitting])


def _typed(cell: str) -> Json:
    bare = cell.strip()
    number = (
        bare.replace(",", "") if re.fullmatch(r"-?\d{1,3}(?:,\d{3})+(?:\.\d+)?", bare) else bare
    )
    try:
        return int(number) if number.lstrip("-").isdigit() and len(number) < 19 else float(number)
    except ValueError:
        return bare


def _looks_typed(table: Table) -> bool:
    """Prose with commas is no table: some column holds short cells or numbers nearly throughout."""
    for place in range(len(table.columns)):
        column = [row[place] for row in table.rows]
        numbers = sum(isinstance(value, int | float) for value in column)
        if numbers >= 0.8 * len(column):
            return True
    longest = max(len(str(value)) for row in table.rows for value in row)
    return (
        longest <= 40
        and len(set(table.columns)) == len(table.columns)
        and all(map(_is_name, table.columns))
    )


def _is_name(cell: str) -> bool:
    """Whether a cell can be the head of a column and no piece of a sentence."""
    return len(cell) <= 40 and len(cell.split()) <= 3 and not cell.endswith((".", "!", "?"))
