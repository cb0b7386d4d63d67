"""In which order units are worth keeping: one order for every budget."""

from __future__ import annotations

import math
import re
from collections import Counter

from extractor.tree import semantic
from extractor.units import Doc

_WORD = re.compile(r"[^\W_]+")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]+")
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_ITEMS = frozenset({"li", "tr", "dd", "dt", "option"})

#: How many of a list's or table's first items, and of the units after a heading, come before the rest.
FIRST_ITEMS = 3
FIRST_UNITS = 2
#: A block of text longer than this is kept from both ends inwards.
LONG_TEXT_UNITS = 12

_K1, _B = 1.2, 0.75


def tokens(text: str) -> list[str]:
    """Lower-cased words; runs of CJK as overlapping pairs of characters."""
    found: list[str] = []
    for word in _WORD.findall(text.lower()):
        cjk = _CJK.findall(word)
        if not cjk:
            found.append(word)
            continue
        found += [rest for rest in _CJK.split(word) if rest]
        for run in cjk:
            found += [run] if len(run) == 1 else [run[i : i + 2] for i in range(len(run) - 1)]
    return found


def relevance(texts: list[str], query: str) -> list[float]:
    """BM25 of each text for the query (Robertson and Zaragoza, 2009; k1 = 1.2, b = 0.75)."""
    wanted = set(tokens(query))
    bags = [Counter(tokens(text)) for text in texts]
    lengths = [sum(bag.values()) for bag in bags]
    mean = sum(lengths) / max(len(lengths), 1) or 1.0
    scores = [0.0] * len(texts)
    for word in sorted(wanted):
        holding = [i for i, bag in enumerate(bags) if word in bag]
        weight = math.log(1 + (len(bags) - len(holding) + 0.5) / (len(holding) + 0.5))
        for i in holding:
            count = bags[i][word]
            norm = count + _K1 * (1 - _B + _B * lengths[i] / mean)
            scores[i] += weight * count * (_K1 + 1) / norm
    return scores


def order(doc: Doc, is_main: list[bool], query: str | None = None) -> list[int]:
    """All units, most worth keeping first.

    Main comes before the rest; in each, headings, then what matches ``query``, then the first units after
    a heading and the first items of lists and tables, then the rest in reading order. A header row or
    caption comes before the rows that need it. Does not depend on the budget. O(n log n).
    """
    scores = relevance([doc.text_of(u) for u in range(doc.units)], query) if query else []
    kinds = _kinds(doc)
    keys: list[tuple[int, float, int]] = []
    inward = _inward(doc)
    for unit in range(doc.units):
        tier = 0 if is_main[doc.run_node[doc.unit_start[unit]]] else 4
        score = scores[unit] if scores else 0.0
        if kinds[unit] == 0:
            keys.append((tier, 0.0, unit))
        elif score > 0:
            keys.append((tier + 1, -score, unit))
        else:
            keys.append((tier + 1 + kinds[unit], 0.0, inward[unit]))
    ranked = sorted(range(doc.units), key=keys.__getitem__)
    return _headers_first(doc, ranked)


def _kinds(doc: Doc) -> list[int]:
    """0 a heading, 1 a unit near the start of what it belongs to, 2 any other."""
    tree = doc.tree
    kinds: list[int] = []
    since_heading = 0
    seen: Counter[int] = Counter()
    for unit in range(doc.units):
        owner = doc.unit_group[unit]
        tag = semantic(tree, owner)
        if tag in _HEADINGS:
            kinds.append(0)
            since_heading = 0
        elif tag in _ITEMS:
            above = tree.parent[owner]
            kinds.append(1 if seen[above] < FIRST_ITEMS else 2)
            seen[above] += 1
        else:
            kinds.append(1 if since_heading < FIRST_UNITS else 2)
            since_heading += 1
    return kinds


def _inward(doc: Doc) -> list[int]:
    """Reading position; in one long block the positions run from both ends to the middle."""
    position = list(range(doc.units))
    start = 0
    while start < doc.units:
        stop = start + 1
        while stop < doc.units and doc.unit_group[stop] == doc.unit_group[start]:
            stop += 1
        if stop - start > LONG_TEXT_UNITS:
            for unit in range(start, stop):
                head, tail = unit - start, stop - 1 - unit
                position[unit] = start + (2 * head if head <= tail else 2 * tail + 1)
        start = stop
    return position


def _headers_first(doc: Doc, ranked: list[int]) -> list[int]:
    """Before the first row of a table is kept, so are its caption and header row."""
    tree = doc.tree
    table_of = [-1] * len(tree)
    for node in range(1, len(tree)):
        table_of[node] = node if tree.tag[node] == "table" else table_of[tree.parent[node]]
    heads: dict[int, list[int]] = {}
    for unit in range(doc.units):
        owner = doc.unit_group[unit]
        table = table_of[owner]
        if table >= 0 and _is_head(doc, owner):
            heads.setdefault(table, []).append(unit)
    done = [False] * doc.units
    out: list[int] = []
    for unit in ranked:
        for first in (*heads.get(table_of[doc.unit_group[unit]], ()), unit):
            if not done[first]:
                done[first] = True
                out.append(first)
    return out


def _is_head(doc: Doc, owner: int) -> bool:
    tree = doc.tree
    if tree.tag[owner] == "caption" or tree.tag[tree.parent[owner]] == "thead":
        return True
    first_row = tree.tag[owner] == "tr" and owner == tree.parent[owner] + 1
    return first_row and owner + 1 < tree.end[owner] and tree.tag[owner + 1] == "th"
