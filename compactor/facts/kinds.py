"""The kinds of facts that the index keeps, and one that was found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

FactKind = Literal[
    "constraint", "value", "error", "decision", "command", "path", "url", "number", "identifier"
]
#: In the order in which they are worth their room.
KINDS: tuple[FactKind, ...] = get_args(FactKind)


@dataclass(frozen=True, slots=True)
class Found:
    """A fact as it stands in a text: ``text`` is verbatim, on one line.

    ``subject`` says what a value is the value of, ``value`` what it is; ``replaces`` is a value that
    the text itself says is no longer true.
    """

    kind: FactKind
    text: str
    subject: str = ""
    value: str = ""
    replaces: str = ""
