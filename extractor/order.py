"""In which order units are worth keeping: one order for every budget.

To add a rule, change a unit's key (``_keys``), or what must come before or after it (the passes that
``order`` applies to the ranked units). No rule may look at the budget.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Sequence

from extractor.relevance import blocks_of, relevance
from extractor.tree import TEXT, semantic
from extractor.units import Doc

_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_ITEMS = frozenset({"li", "tr", "dd", "dt", "option"})

#: How many of a list's or table's first items, and of the units after a heading, come before the rest.
FIRST_ITEMS = 3
FIRST_UNITS = 2
#: A block of text longer than this is kept from both ends inwards.
LONG_TEXT_UNITS = 12
#: Main characters that come in reading order before anything else, as a reader with little time reads: a
#: heading here and a first item there would take a marker each.
LEAD_CHARS = 3_000
#: Most of the main characters that frames take before the page's own are all in.
FRAME_SHARE = 0.25
MATCH, LEAD, HEADING, FIRST, REST, LINKS, WORDLESS = range(7)


def order(doc: Doc, is_main: Sequence[bool], query: str | None = None) -> list[int]:
    """All units, most worth keeping first.

    Main comes before the rest; in each, what matches ``query`` with the heading above it, then (in main) how
    it begins, then headings, the first units after a heading and the first items of lists and tables,
    then the rest in reading order, then list items that are links alone, and last images and controls
    without text beside them. Frames take a share until the page's own text is in. A header row or caption
    comes before the rows that need it. Does not depend on the budget. O(n log n).
    """
    scores = relevance(doc, query)
    main = [is_main[doc.run_node[doc.unit_start[unit]]] for unit in range(doc.units)]
    keys = _keys(doc, main, scores)
    ranked = sorted(range(doc.units), key=keys.__getitem__)
    ranked = _shared_with_frames(doc, ranked, main)
    return _with_what_they_need(doc, ranked, scores)


def _keys(
    doc: Doc, main: Sequence[bool], scores: Sequence[float]
) -> list[tuple[bool, int, float, int]]:
    kinds, inward = _kinds(doc), _inward(doc)
    for place, unit in enumerate(_lead(doc, main, kinds, inward)):
        kinds[unit], inward[unit] = LEAD, place
    return [
        (not main[unit], MATCH, -scores[unit], unit)
        if scores[unit] > 0
        else (not main[unit], kinds[unit], 0.0, inward[unit])
        for unit in range(doc.units)
    ]


def _lead(
    doc: Doc, main: Sequence[bool], kinds: Sequence[int], position: Sequence[int]
) -> list[int]:
    """The units that main begins with, menus aside; of a long block those at both of its ends."""
    found, left = list[int](), LEAD_CHARS
    for unit in sorted(range(doc.units), key=position.__getitem__):
        if main[unit] and kinds[unit] != LINKS:
            found.append(unit)
            left -= doc.unit_chars[unit]
        if left <= 0:
            break
    return found


def _kinds(doc: Doc) -> list[int]:
    """A heading, a unit near the start of what it belongs to, any other, or one of many mere links."""
    tree, linked = doc.tree, _linked(doc)
    kinds: list[int] = []
    since_heading = 0
    seen: Counter[int] = Counter()
    for unit in range(doc.units):
        owner = doc.unit_group[unit]
        tag = semantic(tree, owner)
        if tag in _HEADINGS:
            kinds.append(HEADING)
            since_heading = 0
        elif tag in _ITEMS:
            above = tree.parent[owner]
            later = LINKS if tag == "li" and linked[unit] else REST
            kinds.append(FIRST if seen[above] < FIRST_ITEMS else later)
            seen[above] += 1
        else:
            kinds.append(FIRST if since_heading < FIRST_UNITS else REST)
            since_heading += 1
        if not doc.unit_chars[unit]:
            kinds[-1] = WORDLESS
    return kinds


def _linked(doc: Doc) -> list[bool]:
    """Whether all text of a unit stands in links."""
    tree = doc.tree
    inside = [False] * len(tree)
    for node in range(1, len(tree)):
        inside[node] = tree.tag[node] == "a" or inside[tree.parent[node]]
    return [
        all(inside[doc.run_node[run]] for run in doc.runs_of(unit)) for unit in range(doc.units)
    ]


def _inward(doc: Doc) -> list[int]:
    """Reading position; in one long block the positions run from both ends to the middle."""
    position = list(range(doc.units))
    for block in blocks_of(doc):
        if len(block) <= LONG_TEXT_UNITS:
            continue
        for unit in block:
            head, tail = unit - block.start, block.stop - 1 - unit
            position[unit] = block.start + (2 * head if head <= tail else 2 * tail + 1)
    return position


def _shared_with_frames(doc: Doc, ranked: list[int], main: Sequence[bool]) -> list[int]:
    """A long frame must not push out the page that holds it."""
    framed = _framed(doc)
    left = sum(main[unit] and not framed[unit] for unit in ranked)
    if not any(framed) or not left:
        return ranked
    out: list[int] = []
    waiting: deque[int] = deque()
    own = inside = 0
    for unit in ranked:
        if framed[unit]:
            waiting.append(unit)
        else:
            out.append(unit)
            own += doc.unit_chars[unit]
            left -= main[unit]
        while waiting:
            chars = doc.unit_chars[waiting[0]]
            if left > 0 and inside + chars > FRAME_SHARE * (own + inside + chars):
                break
            inside += chars
            out.append(waiting.popleft())
    return out


def _framed(doc: Doc) -> list[bool]:
    tree = doc.tree
    if "pf-frame" not in tree.tag:
        return [False] * doc.units
    inside = [False] * len(tree)
    for node in range(1, len(tree)):
        inside[node] = inside[tree.parent[node]] or tree.tag[node] == "pf-frame"
    return [inside[doc.run_node[doc.unit_start[unit]]] for unit in range(doc.units)]


def _with_what_they_need(doc: Doc, ranked: list[int], scores: Sequence[float]) -> list[int]:
    """Before a row comes its table's caption and header; before a match the heading above it."""
    needs = _headers(doc)
    heading = -1
    for unit in range(doc.units):
        if semantic(doc.tree, doc.unit_group[unit]) in _HEADINGS:
            heading = unit
        elif scores[unit] > 0 and heading >= 0:
            needs[unit] = [heading, *needs.get(unit, ())]
    done = [False] * doc.units
    out: list[int] = []
    for unit in ranked:
        for each in (*needs.get(unit, ()), unit):
            if not done[each]:
                done[each] = True
                out.append(each)
    return out


def _headers(doc: Doc) -> dict[int, list[int]]:
    """For each unit of a table, its caption and header row."""
    tree = doc.tree
    table_of = [-1] * len(tree)
    for node, attrs in enumerate(tree.attrs):
        named = attrs is not None and attrs.get("data-pf-tag") or tree.tag[node]
        if named == "table" and node:
            end = tree.end[node]
            table_of[node:end] = [node] * (end - node)
    heads: dict[int, list[int]] = {}
    for unit in range(doc.units):
        table = table_of[doc.unit_group[unit]]
        if table >= 0 and _is_head(doc, doc.unit_group[unit]):
            heads.setdefault(table, []).append(unit)
    tables = [table_of[doc.unit_group[unit]] for unit in range(doc.units)]
    return {unit: list(heads[table]) for unit, table in enumerate(tables) if table in heads}


def _is_head(doc: Doc, owner: int) -> bool:
    tree = doc.tree
    if semantic(tree, owner) == "caption" or semantic(tree, tree.parent[owner]) == "thead":
        return True
    if semantic(tree, owner) != "tr" or owner != _first_element(doc, tree.parent[owner]):
        return False
    cell = _first_element(doc, owner)
    return cell > 0 and semantic(tree, cell) == "th"


def _first_element(doc: Doc, node: int) -> int:
    tree, child = doc.tree, node + 1
    while child < tree.end[node]:
        if tree.tag[child] != TEXT:
            return child
        child = tree.end[child]
    return -1
