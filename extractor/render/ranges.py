"""Which characters of an output each stretch of runs takes."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate


class Ranges:
    """Places in a list of output parts, written down as they are appended."""

    def __init__(self) -> None:
        self.marks: list[tuple[int, int, int, int]] = []

    def add(self, part: int, stop: int, first: int, last: int) -> None:
        """Runs ``first`` to ``last`` stand in the parts from ``part`` up to ``stop``."""
        self.marks.append((part, stop, first, last))

    def within(self, out: Sequence[str]) -> list[tuple[int, int, int, int]]:
        """The same with offsets in the joined output, in code points."""
        at = [0, *accumulate(map(len, out))]
        return [(at[part], at[stop], first, last) for part, stop, first, last in self.marks]
