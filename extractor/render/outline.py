"""A page's regions and headings with sizes and refs, and none of its content."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass

from extractor.fold import shorten
from extractor.refs import ref_of
from extractor.regions import Regions
from extractor.tree import TEXT, semantic
from extractor.units import Doc

DEFAULT_BUDGET = 800
MAX_NAME_CHARS = 80
_HEADINGS = {f"h{level}": level for level in range(1, 7)}


@dataclass(frozen=True, slots=True)
class _Entry:
    """One line: runs ``first`` up to ``stop``. ``rank`` says what is left out first (highest)."""

    first: int
    stop: int
    rank: int
    depth: int
    name: str


def render_outline(
    doc: Doc, regions: Regions, budget: int | None = DEFAULT_BUDGET, *, title: str = ""
) -> str:
    """Lines of ``name (characters) ref``, regions flush left, headings below them by level.

    At most ``budget`` code points (``None``: no limit). Where not all fits, low headings go
    first, and the last line says how many lines are missing.
    """
    sums = [0]
    for text in doc.run_text:
        sums.append(sums[-1] + len(text))
    entries = sorted(
        [*_regions(doc, regions), *_sections(doc)], key=lambda e: (e.first, e.depth, -e.stop)
    )
    lines = [_line(doc, sums, entry) for entry in entries]
    name = shorten(" ".join(title.split()), MAX_NAME_CHARS)
    head = f"{name} ({sums[-1]} chars)".strip()
    room = None if budget is None else budget - len(head)
    if room is not None and room < 0:
        return head[: max(budget or 0, 0)]
    kept = _fitting(lines, [entry.rank for entry in entries], room)
    out = [head, *(line for line, keep in zip(lines, kept, strict=True) if keep)]
    missing = kept.count(False)
    if missing and (budget is None or len("\n".join([*out, _more(missing)])) <= budget):
        out.append(_more(missing))
    return "\n".join(out)


def _more(count: int) -> str:
    return f"\u2026 {count} more"


def _fitting(lines: list[str], ranks: list[int], room: int | None) -> list[bool]:
    """Which lines fit in ``room`` characters, a line break before each and the note of the rest."""
    if room is None or sum(len(line) + 1 for line in lines) <= room:
        return [True] * len(lines)
    left = room - len(_more(len(lines))) - 1
    kept = [False] * len(lines)
    for index in sorted(range(len(lines)), key=lambda i: (ranks[i], i)):
        left -= len(lines[index]) + 1
        if left < 0:
            break
        kept[index] = True
    return kept


def _line(doc: Doc, sums: list[int], entry: _Entry) -> str:
    size = sums[entry.stop] - sums[entry.first]
    return f"{'  ' * entry.depth}{entry.name} ({size}) {ref_of(doc, entry.first, entry.stop - 1)}"


def _regions(doc: Doc, regions: Regions) -> list[_Entry]:
    found = []
    for item in regions.items[1:]:
        first = bisect_left(doc.run_node, item.node)
        stop = bisect_left(doc.run_node, doc.tree.end[item.node])
        if first < stop:
            rank = 0 if item.role in ("main", "article") else 2
            found.append(_Entry(first, stop, rank, 0, f"[{item.role}]"))
    return found


def _sections(doc: Doc) -> list[_Entry]:
    """Headings, each with the runs up to the next heading of its level or above."""
    starts: list[tuple[int, int, int]] = []
    for node in range(1, len(doc.tree)):
        level = _HEADINGS.get(semantic(doc.tree, node)) if doc.tree.tag[node] != TEXT else None
        first = bisect_left(doc.run_node, node) if level else 0
        if level and first < len(doc.run_node) and doc.run_node[first] < doc.tree.end[node]:
            starts.append((first, level, node))
    found = []
    stops = [len(doc.run_node)] * len(starts)
    open_headings: list[int] = []
    for index, (first, level, _) in enumerate(starts):
        while open_headings and starts[open_headings[-1]][1] >= level:
            stops[open_headings.pop()] = first
        open_headings.append(index)
    for (first, level, node), stop in zip(starts, stops, strict=True):
        name = _heading_text(doc, first, node)
        if name:
            found.append(
                _Entry(first, max(stop, first + 1), level, level, "#" * level + " " + name)
            )
    return found


def _heading_text(doc: Doc, first: int, node: int) -> str:
    parts, run = [], first
    while run < len(doc.run_node) and doc.run_node[run] < doc.tree.end[node]:
        parts.append((" " if doc.run_glue[run] else "") + doc.run_text[run])
        run += 1
    return shorten(" ".join("".join(parts).split()), MAX_NAME_CHARS)
