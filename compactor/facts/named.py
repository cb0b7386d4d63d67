"""Lines that give a name of its own one value, as in ``retry_limit = 3``: a later one replaces it.

The name must have two words or more, and no text may give it two values: else nobody knows which is meant.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from compactor.facts.values import subject_of

_LINE = re.compile(
    r"^[ \t]*(?P<key>[^\W\d][\w.$-]{2,59})[ \t]*(?:=|:(?=[ \t]))[ \t]*(?P<value>[^\s=\[{(][^\n]{2,159})$",
    re.MULTILINE,
)
#: Program text gives a name many values, and none is out of date.
_CODE = re.compile(r"[;{(\[,\\]$|\w\(.*\)|^(?:return|await|lambda|new|function)\b")


@dataclass(frozen=True, slots=True)
class NamedLine:
    """``value`` of ``key``, on the line from ``start`` to ``end``; ``subject`` is the key as a subject."""

    subject: str
    key: str
    value: str
    start: int
    end: int


def named_lines(text: str) -> list[NamedLine]:
    """The lines of a text, in their order. Linear."""
    found: dict[str, list[NamedLine]] = {}
    for match in _LINE.finditer(text):
        value = match["value"].rstrip()
        if _CODE.search(value):
            continue
        subject = subject_of(match["key"])
        if " " in subject:
            given = NamedLine(subject, match["key"], value, match.start(), match.end())
            found.setdefault(subject, []).append(given)
    return [lines[0] for lines in found.values() if len(lines) == 1]
