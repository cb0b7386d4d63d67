"""The declaration blocks of a document, searched all at once."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate

from extractor.styles.groups import Group

_PROPERTY = re.compile(r"[\w-]++(?=\s*:)")
#: Ends the last declaration of a block, so that no pattern reads on into the next.
_BETWEEN = ";\n"


class Blocks:
    """Blocks by their place among the rules."""

    def __init__(self, bodies: Sequence[str]) -> None:
        self._bodies = [body.lower() for body in bodies]
        self._text = _BETWEEN.join(self._bodies)
        sizes = (len(body) + len(_BETWEEN) for body in self._bodies)
        self._starts = [0, *accumulate(sizes)][: len(bodies)]

    def _place(self, at: int) -> int:
        return bisect_right(self._starts, at) - 1

    def that_may_hide(self, group: Group) -> Iterator[int]:
        """Blocks that may hide text, in order."""
        if not any(word in self._text for word in group.words):
            return
        last = -1
        for found in group.hint.finditer(self._text):
            place = self._place(found.start())
            if place != last:
                last = place
                if group.may_hide(self._bodies[place]):
                    yield place

    def mentioning(self, groups: Sequence[Group]) -> set[int]:
        """Blocks that declare a property of one of the groups."""
        wanted = frozenset().union(*(group.properties for group in groups))
        return {
            self._place(found.start())
            for found in _PROPERTY.finditer(self._text)
            if found[0] in wanted
        }
