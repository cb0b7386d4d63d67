"""Facts planted in a history: nine kinds, values that nobody can guess, spread over its length.

A fact is a line of text with one value in it. What can be found again at the end is looked for by that
value alone.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from compactor.cost import serialise
from compactor.formats import read, write
from compactor.messages import Json, Message
from testbed.replay import placing

EACH = 6
#: Characters of text from which on a tool's result is long, and under which it is short.
LONG_RESULT, SHORT_RESULT = 2_000, 800

KINDS = ("rule", "note", "decision", "short", "head", "middle", "tail", "error", "update")

_LINES: dict[str, tuple[str, ...]] = {
    "rule": ("Never do this without asking: {v}.", "The one that must stay as it is: {v}."),
    "note": ("By the way, what counts here is {v}.", "One more thing: remember {v}."),
    "decision": (
        "I decided for {v} and go on with that.",
        "So it has to be {v}; the rest follows.",
    ),
    "short": ("found: {v}", "answered by {v}"),
    "head": ("opened {v}", "reading from {v}"),
    "middle": ("passing {v}", "  entry {v} checked"),
    "tail": ("closed {v}", "last one was {v}"),
    "error": ("ERROR: lost {v} on the way", "ERROR worker gave up at {v}"),
    "update": ("{k} = {v}",),
}
_WORDS = "tamarind oriel kestrel bramble sextant lantern quarry meridian thistle gantry".split()


@dataclass(frozen=True, slots=True)
class Fact:
    """``value`` stands in entry ``place``; ``stale`` is an older value of the same name, if it had one."""

    kind: str
    value: str
    place: int
    stale: str = ""


def plant(
    messages: Sequence[Json], format: str, *, before: int, seed: int = 0
) -> tuple[list[Json], tuple[Fact, ...]]:
    """The history with ``EACH`` facts of each kind that it has room for, and the facts in their order.

    All stand in messages ``before`` that place: what comes later no request could show. The same history
    and seed give the same.
    """
    choose = random.Random(f"{seed}:{len(messages)}:{format}")
    values = _values(choose, serialise(list(messages)))
    history: list[Message] = read(messages, format)
    facts: list[Fact] = []
    for kind in KINDS:
        places = [place for place in _PLACES[kind](history) if place < before]
        earlier = len(places) // 4 if kind == "update" else 0
        for number, at in enumerate(_spread(len(places) - earlier, choose, first=kind == "rule")):
            line, value = choose.choice(_LINES[kind]), next(values)
            stale, name = "", f"{choose.choice(_WORDS)}_{number}"
            place = places[at + earlier]
            if earlier:
                stale = next(values)
                history = _PUT[kind](history, places[at], line.format(k=name, v=stale))
            history = _PUT[kind](history, place, line.format(k=name, v=value))
            facts.append(Fact(kind, value, place, stale))
    planted, _ = write(history, format)
    return planted, tuple(facts)


def _spread(places: int, choose: random.Random, *, first: bool) -> list[int]:
    """``EACH`` of so many places, from all of the history's length; rules all go to the first."""
    if first:
        return [0] * EACH if places else []
    count = min(EACH, places)
    return [int((n + choose.random()) * places / count) for n in range(count)]


def _values(choose: random.Random, text: str) -> Iterator[str]:
    """Values of many shapes, none of which stands in ``text`` or came before."""
    shapes: tuple[Callable[[str, int, str], str], ...] = (
        lambda word, number, digits: f"{word}-{number}",
        lambda word, number, digits: f"/srv/{word}/{digits}.toml",
        lambda word, number, digits: f"{number:,}.{number % 89:02} ms",
        lambda word, number, digits: digits,
        lambda word, number, digits: f"{word}_{number}_limit",
        lambda word, number, digits: f"https://{word}.example/{digits[:6]}",
        lambda word, number, digits: f"{word} of {number} {choose.choice(_WORDS)}s",
        lambda word, number, digits: f"E{number}/{digits[:4]}",
    )
    known: set[str] = set()
    while True:
        number, digits = choose.randint(10_000, 999_999), f"{choose.getrandbits(44):011x}"
        value = choose.choice(shapes)(choose.choice(_WORDS), number, digits)
        if value not in text and value not in known:
            known.add(value)
            yield value


def _first_request(history: Sequence[Message]) -> list[int]:
    return [i for i, m in enumerate(history) if m.role == "user" and not m.results][:1]


def _assistants(history: Sequence[Message]) -> list[int]:
    return [i for i, m in enumerate(history) if m.role == "assistant"]


def _results(least: int, most: int) -> Callable[[Sequence[Message]], list[int]]:
    def places(history: Sequence[Message]) -> list[int]:
        sizes = [placing.result_chars(message) for message in history]
        return [i for i, m in enumerate(history) if m.results and least <= sizes[i] <= most]

    return places


_ANY = 1 << 40
_PLACES: dict[str, Callable[[Sequence[Message]], list[int]]] = {
    "rule": _first_request,
    "note": placing.after_turns,
    "decision": _assistants,
    "short": _results(1, SHORT_RESULT),
    "head": _results(LONG_RESULT, _ANY),
    "middle": _results(LONG_RESULT, _ANY),
    "tail": _results(LONG_RESULT, _ANY),
    "error": _results(LONG_RESULT, _ANY),
    "update": _results(1, SHORT_RESULT),
}
_PUT: dict[str, Callable[[list[Message], int, str], list[Message]]] = {
    "rule": placing.said,
    "note": placing.noted,
    "decision": placing.said,
    "short": placing.in_result(1.0),
    "head": placing.in_result(0.0),
    "middle": placing.in_result(0.5),
    "tail": placing.in_result(1.0),
    "error": placing.in_result(0.42),
    "update": placing.in_result(0.0),
}
