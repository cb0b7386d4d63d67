"""A page's regions and headings with sizes and refs, and none of its content."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

from extractor.markers import shorten
from extractor.refs import ref_of
from extractor.regions import Regions
from extractor.render.lookalikes import defused
from extractor.tree import TEXT, semantic
from extractor.units import Doc

DEFAULT_BUDGET = 800
MAX_NAME_CHARS = 80
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_MAIN = frozenset({"main", "article"})


@dataclass(slots=True)
class _Entry:
    """One line: runs ``first`` up to ``stop``. ``level`` is 0 for a region, else the heading's.

    ``rank`` says what is left out first (highest); it is never below that of what it stands in.
    """

    first: int
    stop: int
    level: int
    rank: int
    name: str
    depth: int = 0


def render_outline(
    doc: Doc, regions: Regions, budget: int | None = DEFAULT_BUDGET, *, title: str = ""
) -> str:
    """A tree of lines ``name (characters) ref``: what stands inside something is indented below it.

    Regions are ``[role]``, headings have their number signs. At most ``budget`` code points (``None``: no
    limit). Where not all fits, lines go by rank: regions other than main and low headings first, later
    ones before earlier ones, nothing before what stands in it; the last line counts them and says how
    deep they stand.
    """
    sums = [0]
    for text in doc.run_text:
        sums.append(sums[-1] + len(text))
    entries = _nested([*_regions(doc, regions), *_sections(doc)])
    lines = [_line(doc, sums, entry) for entry in entries]
    name = defused(shorten(" ".join(title.split()), MAX_NAME_CHARS))
    head = f"{name} ({sums[-1]} chars)".strip()
    room = None if budget is None else budget - len(head)
    if room is not None and room < 0:
        return head[: max(budget or 0, 0)]
    kept = _fitting(lines, [entry.rank for entry in entries], room)
    out = [head, *(line for line, keep in zip(lines, kept, strict=True) if keep)]
    missing = [entry.depth for entry, keep in zip(entries, kept, strict=True) if not keep]
    if missing and (budget is None or len("\n".join([*out, _more(missing)])) <= budget):
        out.append(_more(missing))
    return "\n".join(out)


def _more(depths: Sequence[int]) -> str:
    low, high = min(depths) + 1, max(depths) + 1
    return f"\u2026 {len(depths)} more at depth {low}" + (f" to {high}" if high > low else "")


def _fitting(lines: list[str], ranks: list[int], room: int | None) -> list[bool]:
    """Which lines fit in ``room`` characters, a line break before each and the note of the rest."""
    if room is None or sum(len(line) + 1 for line in lines) <= room:
        return [True] * len(lines)
    left = room - len(_more([0, 999])) - len(str(len(lines)))
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


def _nested(entries: list[_Entry]) -> list[_Entry]:
    """The entries in reading order with their depths; a region that is all of the one around it joins it."""
    found: list[_Entry] = []
    above: list[_Entry] = []
    for entry in sorted(entries, key=lambda e: (e.first, e.level > 0, -e.stop, e.level)):
        while above and (above[-1].stop <= entry.first or _ends(above[-1], entry)):
            above.pop()
        around = above[-1] if above else None
        if around and not entry.level and not around.level:
            if (entry.first, entry.stop) == (around.first, around.stop):
                around.name = around.name.replace("]", f" {entry.name[1:]}")
                around.rank = min(around.rank, entry.rank)
                continue
            entry.rank += entry.rank > 0
        if around:
            entry.stop = min(entry.stop, around.stop)
            entry.rank = max(entry.rank, around.rank)
        entry.depth = len(above)
        found.append(entry)
        above.append(entry)
    return found


def _ends(section: _Entry, entry: _Entry) -> bool:
    """Whether a heading's part of the page ends where ``entry`` begins, a region that reaches beyond it."""
    if not section.level or entry.level or entry.stop <= section.stop:
        return False
    section.stop = entry.first
    return True


def _regions(doc: Doc, regions: Regions) -> list[_Entry]:
    found = []
    for item in regions.items[1:]:
        first = bisect_left(doc.run_node, item.node)
        stop = bisect_left(doc.run_node, doc.tree.end[item.node])
        if first < stop:
            rank = 0 if item.role in _MAIN else 2
            found.append(_Entry(first, stop, 0, rank, f"[{item.role}]"))
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
            found.append(_Entry(first, max(stop, first + 1), level, level, f"{'#' * level} {name}"))
    return found


def _heading_text(doc: Doc, first: int, node: int) -> str:
    parts, run = [], first
    while run < len(doc.run_node) and doc.run_node[run] < doc.tree.end[node]:
        parts.append((" " if doc.run_glue[run] else "") + doc.run_text[run])
        run += 1
    return defused(shorten(" ".join("".join(parts).split()), MAX_NAME_CHARS))
