"""Lists of addresses: one a line, a column of CSV, a key of JSON lines."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import orjson

from batch.errors import InputError
from batch.inputs.lines import Line
from batch.inputs.report import InputReport

_DELIMITERS = ",;\t|"


@dataclass(frozen=True, slots=True)
class Entry:
    """One address of a list, unchecked. ``place`` is where it stands, as people count."""

    place: str
    url: str
    fields: dict[str, str] = field(default_factory=dict)


def read_text(lines: Iterable[Line], report: InputReport) -> Iterator[Entry]:
    """One address a line. Blank lines and those that begin with ``#`` are no entries."""
    for line in _sound(lines, report):
        address = line.text.strip()
        if address and not address.startswith("#"):
            yield Entry(f"line {line.number}", address)


def read_jsonl(lines: Iterable[Line], column: str, report: InputReport) -> Iterator[Entry]:
    """One object a line, the address under ``column``; or one string a line.

    Other values become text: strings as they are, all else as JSON.
    """
    for line in _sound(lines, report):
        if not line.text.strip():
            continue
        place = f"line {line.number}"
        try:
            value = orjson.loads(line.text)
        except orjson.JSONDecodeError as error:
            report.note_bad(place, "json", str(error))
            continue
        found = value.get(column) if isinstance(value, dict) else value
        if not isinstance(found, str):
            report.note_bad(place, "no_address", f"no text under {column!r}")
            continue
        others = value.items() if isinstance(value, dict) else ()
        yield Entry(place, found, {key: _text(other) for key, other in others if key != column})


def read_csv(lines: Iterable[Line], column: str, name: str, report: InputReport) -> Iterator[Entry]:
    """One row a record (RFC 4180), the address in ``column``.

    The first line is a header, unless ``column`` is ``#1``, ``#2``, … The separator is the one of
    ``, ; tab |`` that splits the first line into most cells.

    Raises:
        InputError: no such column; names those that there are.
    """
    numbers: list[int] = []
    sound = _sound(lines, report)
    first = next(sound, None)
    if first is None:
        return
    numbers.append(first.number)
    dialect = max(_DELIMITERS, key=first.text.count)
    rows = csv.reader(_fed(first, sound, numbers), delimiter=dialect, strict=True)
    by_number = column.startswith("#") and column[1:].isdigit()
    try:
        header = [] if by_number else _names(next(rows, []))
    except csv.Error as error:
        report.note_bad(f"line {first.number}", "csv", f"the header: {error}")
        return
    at = int(column[1:]) - 1 if by_number else _place_of(column, header, name)
    while True:
        begins = numbers[-1] + 1 if rows.line_num else first.number
        try:
            row = next(rows)
        except StopIteration:
            return
        except csv.Error as error:
            report.note_bad(f"line {begins}", "csv", str(error))
            continue
        if not any(cell.strip() for cell in row):
            continue
        if not 0 <= at < len(row) or (header and len(row) != len(header)):
            report.note_bad(
                f"line {begins}", "csv", f"{len(row)} cells, expected {len(header) or at + 1}"
            )
            continue
        names = header or [f"#{number + 1}" for number in range(len(row))]
        fields = {key: cell for key, cell in zip(names, row, strict=True) if key != names[at]}
        yield Entry(f"line {begins}", row[at], fields)


def _names(cells: list[str]) -> list[str]:
    """A name for each column; those without one, or with one that is taken, go by number."""
    names: list[str] = []
    for number, cell in enumerate(cells, 1):
        name = cell.strip()
        names.append(name if name and name not in names else f"#{number}")
    return names


def _place_of(column: str, header: list[str], name: str) -> int:
    if column in header:
        return header.index(column)
    shown = ", ".join(repr(cell) for cell in header[:20]) or "none"
    raise InputError(
        f"{name}: line 1: no column {column!r}; there are {shown} (or #1 without a header)"
    )


def _fed(first: Line, rest: Iterator[Line], numbers: list[int]) -> Iterator[str]:
    """Lines for the CSV reader, which does not tell where a row began."""
    yield f"{first.text}\n"
    for line in rest:
        numbers[-1] = line.number
        yield f"{line.text}\n"


def _sound(lines: Iterable[Line], report: InputReport) -> Iterator[Line]:
    for line in lines:
        if line.fault:
            report.note_bad(f"line {line.number}", "line", line.fault)
        else:
            yield line


def _text(value: object) -> str:
    return value if isinstance(value, str) else orjson.dumps(value).decode()
