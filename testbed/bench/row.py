"""A row of the benchmark: two measurements taken in turn, and their ratio round by round."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Figure:
    """One quantity, ours and theirs.

    Attributes:
        what: the quantity with its unit.
        ours, theirs: medians over the rounds; ``theirs`` is ``nan`` where nothing stands beside it.
        ratio: median of the rounds' ratios; ``low`` and ``high`` are their quartiles.
        goal: what ``ratio`` (or ``ours``, where nothing stands beside it) should be at most, or at
            least with ``at_least``; ``None`` without a goal.
        rounds: the ratios one by one.
    """

    what: str
    ours: float
    theirs: float
    ratio: float
    low: float
    high: float
    goal: float | None = None
    at_least: bool = False
    rounds: tuple[float, ...] = ()

    @property
    def reached(self) -> bool | None:
        """Whether the goal is reached; ``None`` without one."""
        if self.goal is None or math.isnan(self.ratio):
            return None
        return self.ratio >= self.goal if self.at_least else self.ratio <= self.goal


@dataclass(frozen=True, slots=True)
class Row:
    """What was compared, its figures, and remarks; ``skipped`` says why there are none."""

    name: str
    against: str
    figures: tuple[Figure, ...] = ()
    remarks: tuple[str, ...] = ()
    skipped: str = ""


@dataclass(slots=True)
class Pairs:
    """Measurements of one quantity, a pair a round."""

    what: str
    goal: float | None = None
    at_least: bool = False
    #: Whether the ratio is theirs over ours, so that more is better.
    theirs_over_ours: bool = False
    ours: list[float] = field(default_factory=list)
    theirs: list[float] = field(default_factory=list)

    def add(self, ours: float, theirs: float) -> None:
        """One round."""
        self.ours.append(ours)
        self.theirs.append(theirs)

    def figure(self) -> Figure:
        """Medians of both and of the ratios.

        Raises:
            statistics.StatisticsError: there was no round.
        """
        pairs = list(zip(self.ours, self.theirs, strict=True))
        if self.theirs_over_ours:
            ratios = [theirs / max(ours, 1e-9) for ours, theirs in pairs]
        else:
            ratios = [ours / max(theirs, 1e-9) for ours, theirs in pairs]
        low, high = quartiles(ratios)
        return Figure(
            self.what,
            statistics.median(self.ours),
            statistics.median(self.theirs),
            statistics.median(ratios),
            low,
            high,
            self.goal,
            self.at_least,
            tuple(ratios),
        )


def quartiles(values: Sequence[float]) -> tuple[float, float]:
    """The first and the third; of fewer than two values, the value itself."""
    if len(values) < 2:
        return values[0], values[0]
    cuts = statistics.quantiles(values, n=4, method="inclusive")
    return cuts[0], cuts[2]


def single(what: str, values: Sequence[float], goal: float | None = None) -> Figure:
    """A quantity with nothing beside it: its own median and quartiles stand for the ratio."""
    low, high = quartiles(values)
    middle = statistics.median(values)
    return Figure(what, middle, math.nan, middle, low, high, goal, rounds=tuple(values))
