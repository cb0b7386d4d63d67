"""Units cut into smaller ones where a rule goes through the middle of them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import pairwise

from extractor.units.doc import Doc


def cut_before(doc: Doc, runs: Collection[int]) -> Doc:
    """The same runs; each of ``runs`` begins a unit of its own, whatever unit it was in. Linear."""
    runs = set(runs).difference(doc.unit_start)
    if not runs:
        return doc
    starts, chars, owners = list[int](), list[int](), list[int]()
    for unit in range(doc.units):
        inside = doc.runs_of(unit)
        begins = [inside.start, *(run for run in inside[1:] if run in runs)]
        ends = [*begins[1:], inside.stop]
        sizes = [
            sum(map(doc.run_chars, range(first, stop)))
            for first, stop in zip(begins, ends, strict=True)
        ]
        starts += begins
        chars += sizes if len(begins) > 1 else [doc.unit_chars[unit]]
        owners += [doc.unit_group[unit]] * len(begins)
    starts.append(doc.unit_start[-1])
    return replace(doc, unit_start=starts, unit_chars=chars, unit_group=owners)


def cut_at(doc: Doc, *marks: Sequence[bool]) -> Doc:
    """The same runs, with units cut where what is marked, by node, begins or ends inside one. Linear."""
    cuts = set[int]()
    for marked in marks:
        is_marked = [marked[node] for node in doc.run_node]
        pairs = pairwise(is_marked)
        cuts.update(run for run, (before, here) in enumerate(pairs, start=1) if before != here)
    return cut_before(doc, cuts)
