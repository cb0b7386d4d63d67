"""The runs and units of one snapshot, as parallel lists."""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar, cast

from extractor.tree import Attrs, Tree

_Found = TypeVar("_Found")

#: What glyphs of private use are counted under: people see a picture, so nothing is hidden.
ICON = "icon"


@dataclass(frozen=True, slots=True)
class Hidden:
    """Text at ``node`` that no one can see: how many code points, why, and its SHA-256.

    ``shown``: it stands in the document all the same, labelled.
    """

    node: int
    chars: int
    reason: str
    sha256: str
    shown: bool = False

    @classmethod
    def of(cls, node: int, text: str, reason: str, *, shown: bool = False) -> Hidden:
        digest = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
        return cls(node, len(text), reason, digest, shown)


@dataclass(slots=True)
class Doc:
    """Runs and units of one snapshot, with what rendering needs of each element.

    Lists named ``run_*`` have one entry a run, ``unit_*`` one a unit, the others one a node of ``tree``.
    ``run_text`` is visible text after white-space rules; ``run_glue`` what stands before a run when the
    run before it is kept too; ``run_block`` the block element that holds it; ``run_part`` its ordinal
    within its node, ``run_last`` whether it is the node's last part. ``shown`` says whether an element is
    written (bare wrappers are not), ``tags`` under which name, ``up`` is the nearest written ancestor.
    ``hidden`` lists what no one can see, in document order. ``unread`` has the runs that stand for parts of a
    very large page that the capture did not read, with about how many characters these have.
    """

    tree: Tree
    base_url: str
    state: list[int]
    region: list[int]
    attrs: list[Attrs | None]
    shown: list[bool]
    tags: list[str]
    up: list[int]
    block: list[int]
    run_node: list[int] = field(default_factory=list)
    run_part: list[int] = field(default_factory=list)
    run_last: list[bool] = field(default_factory=list)
    run_text: list[str] = field(default_factory=list)
    run_html: list[str] = field(default_factory=list)
    run_glue: list[str] = field(default_factory=list)
    run_block: list[int] = field(default_factory=list)
    run_parent: list[int] = field(default_factory=list)
    unit_start: list[int] = field(default_factory=list)
    unit_chars: list[int] = field(default_factory=list)
    unit_group: list[int] = field(default_factory=list)
    hidden: list[Hidden] = field(default_factory=list)
    unread: dict[int, int] = field(default_factory=dict)
    _known: dict[object, object] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def once(self, name: object, make: Callable[[Doc], _Found]) -> _Found:
        """What ``make`` finds in this document, found only once: costs and writers of several formats ask
        for the same. ``name`` tells it from other findings."""
        if name not in self._known:
            self._known[name] = make(self)
        return cast(_Found, self._known[name])

    @property
    def units(self) -> int:
        return len(self.unit_chars)

    def runs_of(self, unit: int) -> range:
        return range(self.unit_start[unit], self.unit_start[unit + 1])

    def run_chars(self, run: int) -> int:
        """Characters of a run's text, read or not."""
        return self.unread.get(run) or len(self.run_text[run])

    def units_of(self, first: int, last: int) -> range:
        """The units that the runs ``first`` to ``last``, both included, belong to."""
        start = bisect_right(self.unit_start, first, 0, self.units) - 1
        return range(start, bisect_right(self.unit_start, last, 0, self.units))

    def text_of(self, unit: int) -> str:
        """The unit's visible text, runs joined by single spaces where white space or a line stood."""
        parts: list[str] = []
        for run in self.runs_of(unit):
            if parts and (self.run_glue[run] or self.run_block[run] != self.run_block[run - 1]):
                parts.append(" ")
            parts.append(self.run_text[run])
        return "".join(parts)
