"""What in the fixed front of a request changes from one to the next and so spoils a cached prefix."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import regex

from compactor.cost import serialise
from compactor.messages import Json

Changing = Literal["a timestamp", "a turn number", "a random id"]
# In the order in which they are named. A date alone may stand for a day and is no timestamp.
CHANGING: tuple[tuple[Changing, regex.Pattern[str]], ...] = (
    (
        "a timestamp",
        regex.compile(
            r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\b\d{1,2}:\d\d:\d\d\b"
            r"|\b(?:now|time|timestamp)\W{1,3}1[5-9]\d{8,11}\b",
            regex.IGNORECASE,
        ),
    ),
    (
        "a turn number",
        regex.compile(
            r"\b(?:turn|step|iteration|round|request)(?:\s+(?:no\.?|number))?\s*[:#=]?\s*\d+\b",
            regex.IGNORECASE,
        ),
    ),
    (
        "a random id",
        regex.compile(
            r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b", regex.IGNORECASE
        ),
    ),
)


@dataclass(frozen=True, slots=True)
class PrefixWarning:
    """``where`` is ``system``, ``tools`` or ``message N``; ``holds`` names what changes there."""

    where: str
    holds: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.where} holds {' and '.join(self.holds)}"


def lint_prefix(
    messages: Sequence[Json], *, system: Json = None, tools: Json = None
) -> list[PrefixWarning]:
    """Warnings for the system prompt, the tools and system messages, in that order. Linear.

    What users, models and tools say is said once and stays; it is not looked at.
    """
    places = [("system", system), ("tools", tools)]
    for index, message in enumerate(messages):
        if isinstance(message, dict) and message.get("role") in ("system", "developer"):
            places.append((f"message {index}", message.get("content")))
    found = ((where, _changing(value)) for where, value in places if value)
    return [PrefixWarning(where, holds) for where, holds in found if holds]


def _changing(value: Json) -> tuple[str, ...]:
    text = value if isinstance(value, str) else serialise(value)
    return tuple(name for name, pattern in CHANGING if pattern.search(text))
