"""How a budget is spent: on main text first, then on its markup, then on the rest of the page.

One chain of states, from little to all, that does not depend on the budget: main text in bare markup, up to
``BARE_CHARS``; the same in lean markup, and more of it; the rest of the page, in bare markup; that in lean
markup; main in full markup; all in full. The furthest state that fits is taken, so a larger budget never
keeps less text.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate

from extractor.fold import fold_between
from extractor.judged import Markup
from extractor.lean import BARE, DEGREES, FULL, LEAN, degrees_of, leaner
from extractor.markers import Costs, Folded, Frame
from extractor.refs import ref_of
from extractor.units import Doc

#: Main text that is kept in bare markup before any of it is given links; about what 10,000 characters hold.
BARE_CHARS = 9_000


@dataclass(frozen=True, slots=True)
class Way:
    """The degrees of main and of the rest."""

    main: int
    rest: int

    def said(self, doc: Doc, scope: range) -> str:
        """The degrees, and the ref under which all markup is given back; empty for full markup."""
        if not self.main and not self.rest or not len(scope):
            return ""
        first, last = doc.unit_start[scope.start], doc.unit_start[scope.stop] - 1
        return f"{degrees_said(self)} all:{ref_of(doc, first, last)}"


@dataclass(frozen=True, slots=True)
class Spent:
    """What was kept, of which document, and in which way."""

    doc: Doc
    folded: Folded
    way: Way


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be kept as far as it fits: units by value, which nodes are main, what may be touched."""

    doc: Doc
    ranked: Sequence[int]
    is_main: Sequence[bool]
    frame: Frame

    def units(self) -> list[int]:
        """The units that may stay, most worth keeping first."""
        frame = self.frame
        return [unit for unit in self.ranked if unit in frame.scope and not frame.rule[unit]]


def degrees_said(way: Way) -> str:
    """Such as ``main:lean rest:bare``."""
    return f"main:{DEGREES[way.main]} rest:{DEGREES[way.rest]}"


def spend(
    wanted: Wanted, costs: Callable[[Doc, Way], Costs], budget: int | None, markup: Markup = "auto"
) -> Spent:
    """Fold in the furthest state that fits; whether a richer one does is tried where a leaner one does.

    Raises:
        BudgetImpossible: not even the empty document fits.
    """
    units = wanted.units()
    size, sums = len(units), [0, *accumulate(wanted.doc.unit_chars[unit] for unit in units)]
    main_units, bare = _borders(wanted, units, sums)

    def tried(main: int, rest: int, least: int, most: int = size) -> Spent | None:
        if budget is not None and sums[least] > budget:
            return None
        if main_units == size:
            rest = FULL  # Nothing of it is written.
        doc = leaner(wanted.doc, degrees_of(wanted.is_main, main, rest))
        way = Way(main, rest) if doc is not wanted.doc else Way(FULL, FULL)
        frame, within = wanted.frame, (least, most)
        folded = fold_between(doc, units, costs(doc, way), frame, budget, within=within)
        return Spent(doc, folded, way) if folded is not None else None

    if markup != "auto":
        degree = DEGREES.index(markup)
        return _sure(tried(degree, degree, 0))
    # Without a rule of the caller's, that all of it does not fit is known before this is called.
    has_rules = any(wanted.frame.rule[unit] for unit in wanted.frame.scope)
    if has_rules and (found := tried(FULL, FULL, size)):
        return found
    found = tried(LEAN, BARE, bare)
    if found is None:
        return _sure(tried(BARE, BARE, 0, bare))
    for richer in (LEAN, FULL) if main_units < size and _is_whole(found, units) else ():
        more = tried(richer, LEAN, size)
        if more is None:
            break
        found = more
    return found


def _sure(found: Spent | None) -> Spent:
    assert found is not None, "nothing at least always fits, or raises"
    return found


def _is_whole(found: Spent, units: Sequence[int]) -> bool:
    return all(found.folded.keep[unit] for unit in units)


def _borders(wanted: Wanted, units: Sequence[int], sums: Sequence[int]) -> tuple[int, int]:
    """How many units of the order hold all of main, and how many of them may be kept in bare markup."""
    doc, is_main = wanted.doc, wanted.is_main
    main = max(
        (at + 1 for at, unit in enumerate(units) if is_main[doc.run_node[doc.unit_start[unit]]]),
        default=0,
    )
    enough = next((at for at, chars in enumerate(sums) if chars >= BARE_CHARS), len(units))
    return main, min(main, enough)
