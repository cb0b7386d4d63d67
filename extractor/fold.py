"""Prune a document to a budget: the longest prefix of one fixed order that fits.

The order of units does not depend on the budget, so what is kept under a small budget is a subset of what
is kept under a larger one. Costs are walked from the whole document down: taking a unit out touches only
the marker run that it joins and the elements that it leaves empty.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from extractor.describe import Descriptions
from extractor.errors import BudgetImpossible
from extractor.markers import Costs, Folded, Frame, Marker
from extractor.refs import ref_of
from extractor.units import Doc

MIN_BUDGET = 500
#: Share of the budget, least and most characters, left for saying more about what was folded.
RESERVE_SHARE = 0.05
LEAST_RESERVE, RESERVE_CHARS = 120, 1_500
#: A gap of no more units and characters than this is closed again: its marker would be as long.
SMALL_UNITS, SMALL_CHARS = 2, 24
#: Most of the budget that is left for that where the caller's rules leave much out: for a few words in any
#: case as many characters as a small budget can spare, and for more of them a share.
RULE_SHARE, RULE_CHARS, MOST_RULE_SHARE = 0.05, 300, 0.3


def fold(doc: Doc, ranked: Sequence[int], costs: Costs, frame: Frame, budget: int | None) -> Folded:
    """Choose what stays: as long a prefix of ``ranked`` as the budget (``None``: no limit) holds.

    Raises:
        BudgetImpossible: under ``MIN_BUDGET``, or not even the empty document fits.
    """
    found = fold_between(doc, ranked, costs, frame, budget, within=(0, doc.units))
    assert found is not None, "nothing at least always fits, or raises"
    return found


def fold_between(
    doc: Doc,
    ranked: Sequence[int],
    costs: Costs,
    frame: Frame,
    budget: int | None,
    *,
    within: tuple[int, int],
) -> Folded | None:
    """As ``fold``, with fewest and most units that are to stay; ``None`` where not even the fewest fit.

    Raises:
        BudgetImpossible: under ``MIN_BUDGET``, or not even the empty document fits.
    """
    if budget is not None and budget < MIN_BUDGET:
        raise BudgetImpossible(
            f"budget is {budget}; the smallest possible is {MIN_BUDGET} characters", field="budget"
        )
    (least, most), state = within, _State(doc, costs, frame)
    state.leave_out_ruled()
    wanted = [unit for unit in ranked if unit in frame.scope and not frame.rule[unit]]
    if budget is not None:
        known, general = _reserves(state, budget)
        while len(wanted) > most:
            state.remove(wanted.pop())
        if state.exceeds(budget - known):
            while state.exceeds(budget - known - general) and len(wanted) > least:
                state.remove(wanted.pop())
            if least and state.exceeds(budget - known - general):
                return None
        if state.exceeds(budget):
            raise BudgetImpossible(
                f"the empty document alone takes {state.total} of {budget} characters",
                field="budget",
            )
    room = None if budget is None else budget - state.priced()
    markers = [state.marker(first, last) for first, last in state.gaps()]
    return Folded(state.keep, Descriptions(doc, costs, frame).within(markers, room))


def _reserves(state: _State, budget: int) -> tuple[int, int]:
    """Characters kept free for what markers say: of what the caller's rules left out, and of the rest.

    The former is known beforehand and paid for in full, as far as a share of the budget reaches. The
    budget less both grows with the budget, or a larger one could keep less.
    """
    known = 0
    if any(state.frame.rule[unit] for unit in state.frame.scope):
        words = Descriptions(state.doc, state.costs, state.frame)
        known = words.extra([state.marker(first, last) for first, last in state.gaps()])
    most = int(max(budget * RULE_SHARE, min(RULE_CHARS, budget * MOST_RULE_SHARE)))
    known = min(known, most)
    general = int(min(max(budget * RESERVE_SHARE, LEAST_RESERVE), RESERVE_CHARS))
    return known, min(general, most - known)


class _State:
    """What is kept, the gaps between, and the running cost.

    What the markers of new gaps cost is not counted before it can matter: ``total`` is too small by that.
    """

    def __init__(self, doc: Doc, costs: Costs, frame: Frame) -> None:
        self.doc, self.costs, self.frame = doc, costs, frame
        self.keep = [unit in frame.scope for unit in range(doc.units)]
        self.gap_end: dict[int, int] = {}
        self.gap_start: dict[int, int] = {}
        self.gap_cost: dict[int, int] = {}
        self.unpriced = set[int]()
        self.sums = [0]
        for chars in doc.unit_chars:
            self.sums.append(self.sums[-1] + chars)
        self.total = costs.total()

    def leave_out_ruled(self) -> None:
        """Take out what a rule of the caller's leaves out, before anything else. Linear."""
        ruled = self.frame.rule
        for out, units in groupby(self.frame.scope, key=lambda unit: bool(ruled[unit])):
            if out:
                low = high = next(units)
                self._take_out(low)
                for high in units:
                    self._take_out(high)
                self.gap_end[low], self.gap_start[high] = high, low
                self.gap_cost[low] = self.costs.marker(self.marker(low, high))
                self.total += self.gap_cost[low]

    def remove(self, unit: int) -> None:
        """Take one unit out; amortised O(depth). Where it leaves too small a gap, it stays after all."""
        low = high = unit
        if unit - 1 in self.gap_start:
            low = self.gap_start.pop(unit - 1)
            del self.gap_end[low]
            self._unmark(low)
        if unit + 1 in self.gap_end:
            high = self.gap_end.pop(unit + 1)
            self._unmark(self.gap_start.pop(high))
        self.gap_end[low], self.gap_start[high] = high, low
        self.gap_cost[low] = 0
        if self._is_small(low, high):
            return
        # Small gaps on either side were still in.
        for each in range(max(low, unit - SMALL_UNITS), min(high, unit + SMALL_UNITS) + 1):
            self._take_out(each)
        self.unpriced.add(low)

    def exceeds(self, limit: int) -> bool:
        """Whether what is kept and all markers take more characters than that."""
        return self.total > limit or self.priced() > limit

    def priced(self) -> int:
        """The cost with the markers of all gaps."""
        for low in self.unpriced:
            cost = self.gap_cost[low] = self.costs.marker(self.marker(low, self.gap_end[low]))
            self.total += cost
        self.unpriced.clear()
        return self.total

    def _unmark(self, low: int) -> None:
        self.total -= self.gap_cost.pop(low)
        self.unpriced.discard(low)

    def _is_small(self, low: int, high: int) -> bool:
        """Whether a marker would say more than the units that it stands for, in any format."""
        scope = self.frame.scope
        return (
            high - low < SMALL_UNITS
            and scope.start < low <= high < scope.stop - 1
            and self.sums[high + 1] - self.sums[low] <= SMALL_CHARS
            and not any(self.frame.rule[each] for each in range(low, high + 1))
        )

    def _take_out(self, unit: int) -> None:
        scope, keep = self.frame.scope, self.keep
        if not keep[unit]:
            return
        self.total -= self.costs.remove(unit)
        if unit > scope.start and keep[unit - 1]:
            self.total -= self.costs.joint(unit)
        if unit + 1 < scope.stop and keep[unit + 1]:
            self.total -= self.costs.joint(unit + 1)
        keep[unit] = False

    def marker(self, first: int, last: int) -> Marker:
        """The plainest marker for a gap."""
        doc = self.doc
        ref = ref_of(doc, doc.unit_start[first], doc.unit_start[last + 1] - 1)
        return Marker(first, last, ref, self.sums[last + 1] - self.sums[first], last - first + 1)

    def gaps(self) -> list[tuple[int, int]]:
        """First and last unit of each stretch that is out."""
        return sorted(gap for gap in self.gap_end.items() if not self.keep[gap[0]])
