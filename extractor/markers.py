"""What a fold decides, what it may touch, and what an output format charges for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from extractor.graphemes import cut_within

#: Why a part of a very large page may not stay: the capture did not read it, so nobody knows what is in it.
NOT_READ = "not_read"


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


class NoCosts:
    """Costs where there is no budget: nothing is counted."""

    def total(self) -> int:
        return 0

    def remove(self, unit: int) -> int:
        return 0

    def joint(self, unit: int) -> int:
        return 0

    def marker(self, marker: Marker) -> int:
        return 0


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


def shorten(text: str, limit: int) -> str:
    """At most ``limit`` characters of ``text``, cut at a space or between graphemes, then an ellipsis."""
    if len(text) <= limit:
        return text
    cut = text.rfind(" ", limit // 2, limit - 1)
    return text[: cut if cut > 0 else cut_within(text, 0, limit - 1)].rstrip(" ,") + "\u2026"
