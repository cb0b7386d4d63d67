"""Prune a document to a budget: the longest prefix of one fixed order that fits.

The order of units does not depend on the budget, so what is kept under a small budget is a subset of what
is kept under a larger one. Costs are walked from the whole document down: taking a unit out touches only
the marker run that it joins and the elements that it leaves empty.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from extractor.errors import BudgetImpossible
from extractor.refs import ref_of
from extractor.units import Doc

MIN_BUDGET = 500
#: Share of the budget, and most characters, left for saying more about what was folded.
RESERVE_SHARE = 0.05
RESERVE_CHARS = 1_500
WHAT_CHARS = 80


@dataclass(frozen=True, slots=True)
class Marker:
    """Stands for the units ``first`` to ``last``, both included.

    ``edge`` says where it stands between what is kept on either side: beside the unit ``before`` it, the
    unit ``after`` it, the deeper of the two (``any``), or ``between`` both.
    """

    first: int
    last: int
    ref: str
    chars: int
    items: int
    region: str = ""
    rule: str = "budget"
    what: str = ""
    edge: str = "any"


@dataclass(frozen=True, slots=True)
class Folded:
    """What a fold decided: the units kept and a marker for each run of units taken out, in order."""

    keep: list[bool]
    markers: list[Marker]


class Costs(Protocol):
    """What an output format charges, in code points. Starts with every unit of the scope kept."""

    def total(self) -> int:
        """Characters of the document with everything kept."""
        ...

    def remove(self, unit: int) -> int:
        """Characters saved by taking this unit out, with elements that it leaves empty."""
        ...

    def joint(self, unit: int) -> int:
        """Characters between ``unit - 1`` and ``unit`` when both are kept."""
        ...

    def marker(self, marker: Marker) -> int:
        """Most characters that this marker may take, with what must stand around it."""
        ...


@dataclass(frozen=True, slots=True)
class Frame:
    """What a fold may touch.

    ``scope`` is the range of units that the output is about; those outside are neither kept nor marked.
    ``rule`` is empty for a unit that may stay, else why it may not; ``role`` is that of its region and
    ``part`` the region's index.
    """

    scope: range
    rule: Sequence[str]
    role: Sequence[str]
    part: Sequence[int]


def fold(doc: Doc, ranked: Sequence[int], costs: Costs, frame: Frame, budget: int | None) -> Folded:
    """Choose what stays: as long a prefix of ``ranked`` as the budget (``None``: no limit) holds.

    Raises:
        BudgetImpossible: under ``MIN_BUDGET``, or not even the empty document fits.
    """
    if budget is not None and budget < MIN_BUDGET:
        raise BudgetImpossible(
            f"budget is {budget}; the smallest possible is {MIN_BUDGET} characters", field="budget"
        )
    state = _State(doc, costs, frame)
    for unit in frame.scope:
        if frame.rule[unit]:
            state.remove(unit)
    if budget is not None and state.total > budget:
        limit = budget - int(min(budget * RESERVE_SHARE, RESERVE_CHARS))
        wanted = [unit for unit in ranked if unit in frame.scope and not frame.rule[unit]]
        while state.total > limit and wanted:
            state.remove(wanted.pop())
        if state.total > budget:
            raise BudgetImpossible(
                f"the empty document alone takes {state.total} of {budget} characters",
                field="budget",
            )
    room = None if budget is None else budget - state.total
    return Folded(state.keep, _describe(state, room))


class _State:
    """What is kept, the gaps between, and the running cost."""

    def __init__(self, doc: Doc, costs: Costs, frame: Frame) -> None:
        self.doc, self.costs, self.frame = doc, costs, frame
        self.keep = [unit in frame.scope for unit in range(doc.units)]
        self.gap_end: dict[int, int] = {}
        self.gap_start: dict[int, int] = {}
        self.sums = [0]
        for chars in doc.unit_chars:
            self.sums.append(self.sums[-1] + chars)
        self.total = costs.total()

    def remove(self, unit: int) -> None:
        """Take one unit out; amortised O(depth)."""
        scope, keep = self.frame.scope, self.keep
        self.total -= self.costs.remove(unit)
        if unit > scope.start and keep[unit - 1]:
            self.total -= self.costs.joint(unit)
        if unit + 1 < scope.stop and keep[unit + 1]:
            self.total -= self.costs.joint(unit + 1)
        keep[unit] = False
        low = high = unit
        if unit - 1 in self.gap_start:
            low = self.gap_start.pop(unit - 1)
            self.total -= self.costs.marker(self.marker(low, self.gap_end.pop(low)))
        if unit + 1 in self.gap_end:
            high = self.gap_end.pop(unit + 1)
            self.total -= self.costs.marker(self.marker(self.gap_start.pop(high), high))
        self.gap_end[low], self.gap_start[high] = high, low
        self.total += self.costs.marker(self.marker(low, high))

    def marker(self, first: int, last: int) -> Marker:
        """The plainest marker for a gap."""
        doc = self.doc
        ref = ref_of(doc, doc.unit_start[first], doc.unit_start[last + 1] - 1)
        return Marker(first, last, ref, self.sums[last + 1] - self.sums[first], last - first + 1)

    def gaps(self) -> list[tuple[int, int]]:
        return sorted(self.gap_end.items())


def _describe(state: _State, room: int | None) -> list[Marker]:
    """Split markers by region and say what stands behind them, as far as there is room."""
    markers: list[Marker] = []
    costs = state.costs
    for first, last in state.gaps():
        plain = _named(state, state.marker(first, last))
        spent = costs.marker(state.marker(first, last))
        rich = _pieces(state, first, last)
        for choice in (rich, [_worded(state, plain)], [plain]):
            extra = sum(costs.marker(marker) for marker in choice) - spent
            if room is None or extra <= room:
                room = None if room is None else room - extra
                markers += choice
                break
        else:
            markers.append(state.marker(first, last))
    return markers


def _pieces(state: _State, first: int, last: int) -> list[Marker]:
    """One marker for each stretch of a gap that lies in one region and was left out for one reason."""
    frame, found, start = state.frame, [], first
    for unit in range(first, last + 1):
        same = unit < last and (frame.part[unit], frame.rule[unit]) == (
            frame.part[unit + 1],
            frame.rule[unit + 1],
        )
        if not same:
            found.append(_worded(state, _named(state, state.marker(start, unit))))
            start = unit + 1
    if len(found) == 1:
        return found
    edges = ["before", *["between"] * (len(found) - 2), "after"]
    return [replace(marker, edge=edge) for marker, edge in zip(found, edges, strict=True)]


def _named(state: _State, marker: Marker) -> Marker:
    frame = state.frame
    role, rule = frame.role[marker.first], frame.rule[marker.first] or "budget"
    return replace(marker, region="" if role == "other" else role, rule=rule)


def _worded(state: _State, marker: Marker) -> Marker:
    words = ""
    for unit in range(marker.first, min(marker.last + 1, marker.first + 12)):
        text = " ".join(state.doc.text_of(unit).split())
        words = f"{words}, {text}" if words and text else words or text
        if len(words) > WHAT_CHARS:
            break
    return replace(marker, what=shorten(words, WHAT_CHARS))


def shorten(text: str, limit: int) -> str:
    """At most ``limit`` characters of ``text``, cut at a space, an ellipsis after it."""
    if len(text) <= limit:
        return text
    cut = text.rfind(" ", limit // 2, limit - 1)
    return text[: cut if cut > 0 else limit - 1].rstrip(" ,") + "\u2026"
