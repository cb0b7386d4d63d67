"""What the agent really used next: identifiers in its calls, and when it had last seen them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import regex

from compactor.cost import serialise
from compactor.formats import read
from compactor.messages import Json

_SHORTEST, _LONGEST = 6, 200
_WORD = regex.compile(r"[\w./@:~-]+")
#: A name that somebody gave: joined words, a capital inside, or letters with digits. Hyphens join words of a
#: language, too.
_NAMED = regex.compile(r"[^\W_][./_@:]+[^\W_]|\p{Ll}\p{Lu}|\p{L}\d|\d\p{L}")


@dataclass(frozen=True, slots=True)
class Demand:
    """One identifier that the request at ``place`` led to; last seen ``distance`` characters before."""

    place: int
    identifier: str
    distance: int


def demands(messages: Sequence[Json], format: str, places: Sequence[int]) -> Iterator[Demand]:
    """Of the calls made at ``places``, every identifier that stood in the history before, once each.

    What the history never showed cannot be asked of a context, and is left out.
    """
    read_messages = read(messages, format)
    roles = [message.role for message in read_messages]
    written = [serialise(message) for message in messages]
    before, at = "", 0
    for place in places:
        before += "\n".join(["", *written[at:place]])
        at, end = place, place
        while end < len(roles) and roles[end] == "assistant":
            end += 1
        said = [call.input for m in read_messages[place:end] for call in m.calls]
        if format == "text" and not said:  # thought and action in one plain text
            said = [block.text for m in read_messages[place:end] for block in m.blocks]
        for identifier in dict.fromkeys(name for value in said for name in _named(value)):
            seen = before.rfind(identifier)
            if seen >= 0:
                yield Demand(place, identifier, len(before) - seen)


def _named(value: Json) -> Iterator[str]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for each in value:
            yield from _named(each)
    if isinstance(value, str):
        for match in _WORD.finditer(value):
            word = match.group().strip("./:-~@")
            if _SHORTEST <= len(word) <= _LONGEST and _NAMED.search(word):
                yield word
