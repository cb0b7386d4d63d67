"""Names of their own with their newest values, and what took the place of the values before."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from compactor.facts.named import NamedLine
from compactor.facts.tokens import classified

#: Shorter values stand in other words too.
_LEAST_RETIRED = 6
_FIRST_WORD = re.compile(r"[^\s\"'`,;()“”]+")


@dataclass(frozen=True, slots=True)
class Names:
    """Immutable: ``after`` gives another.

    Attributes:
        newest: name → its newest value, of those that tools gave.
        replaced: a value that is true of no name any more → what took its place.
    """

    newest: Mapping[str, str] = field(default_factory=dict)
    replaced: Mapping[str, str] = field(default_factory=dict)

    def after(self, lines: Sequence[NamedLine], most: int) -> Names:
        """With some more lines, the newest ``most`` names and replaced values. Linear in what is kept."""
        if not lines:
            return self
        newest, replaced = dict(self.newest), dict(self.replaced)
        for line in lines:
            old = newest.pop(line.subject, line.value)
            newest[line.subject] = line.value
            for value in _forms(line.value):
                replaced.pop(value, None)  # it is true again
            if old != line.value:
                true = {form for value in newest.values() for form in _forms(value)}
                replaced.update(dict.fromkeys(set(_forms(old)) - true, line.value))
        return Names(_end(newest, most), _end(replaced, most))

    def retired(self, before: Names) -> list[str]:
        """Values that were true ``before``, or not known, and are replaced now."""
        if self.replaced is before.replaced:
            return []
        return [value for value in self.replaced if value not in before.replaced]


def _forms(value: str) -> list[str]:
    """A value as others may quote it: with all that its line says, and its first word alone where that is no
    word of a language.
    """
    first = _FIRST_WORD.match(value)
    word = first[0].strip(".:!?*_") if first else ""
    said = (value, word) if classified(word) is not None else (value,)
    return [form for form in dict.fromkeys(said) if len(form) >= _LEAST_RETIRED]


def _end(known: dict[str, str], most: int) -> dict[str, str]:
    return dict(islice(known.items(), len(known) - most, None)) if len(known) > most else known
