"""What the proxy must know of a provider's API: where the history stands, and what an answer says."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from compactor.breakpoints import Breakpoint
from compactor.messages import Json, JsonObject


class Untouched(Exception):
    """The request goes through as it is; ``reason`` says why, in a word or two.

    ``instead`` is a request that the provider can answer, where it could not answer the client's own.
    """

    def __init__(self, reason: str, instead: JsonObject | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.instead = instead


@dataclass(frozen=True, slots=True)
class Asked:
    """A request in the parts that a session knows.

    ``fixed`` are system messages that the list of messages starts with; they stay in front, as they
    are. ``tail`` is what the client has begun of the answer itself; it stays behind.
    """

    fixed: list[Json]
    entries: list[Json]
    tail: list[Json] = field(default_factory=list)
    system: Json = None
    tools: list[Json] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Sent:
    """What a request says instead. ``key`` names the session for the provider's cache, empty: say nothing;
    ``places`` are where cache markers pay.
    """

    messages: list[Json]
    tools: list[Json]
    key: str = ""
    places: tuple[Breakpoint, ...] = ()


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call in an answer; ``arguments`` is ``None`` where they are no JSON object."""

    id: str
    name: str
    arguments: JsonObject | None


@dataclass(frozen=True, slots=True)
class Said:
    """What is recognised of an assistant's words, however a client writes them: call ids and text.

    ``id`` is the answer's, for providers whose clients may go on from it.
    """

    calls: frozenset[str]
    text: str
    id: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer of a model. ``waits`` says whether it is whole and waits for results of its calls."""

    entries: list[Json]
    calls: tuple[Call, ...] = ()
    waits: bool = False
    text: str = ""
    usage: Json = None
    id: str = ""

    def own(self, names: Collection[str]) -> tuple[Call, ...]:
        """Calls of the proxy's tools that must be answered."""
        return tuple(call for call in self.calls if call.name in names) if self.waits else ()

    def others(self, names: Collection[str]) -> tuple[Call, ...]:
        """Calls of the client's tools."""
        return tuple(call for call in self.calls if call.name not in names)

    def goes_on(self, names: Collection[str]) -> bool:
        """Whether it ends with calls of the proxy's tools alone, so that the model is asked again."""
        return bool(self.own(names)) and not self.others(names)


@dataclass(frozen=True, slots=True)
class Result:
    """The proxy's answer to one call."""

    call_id: str
    text: str
    is_error: bool = False


class Relay(Protocol):
    """Hands one client the events of one or more streams as if they were one."""

    @property
    def complete(self) -> bool:
        """Whether all is said; what may still come is how it is counted, and the end."""

    def begin(self) -> None:
        """The next stream starts."""

    def feed(self, event: bytes) -> bytes:
        """What the client gets for an event: the same bytes, others, or none."""

    def answer(self) -> Answer:
        """What the stream that has just ended said."""

    def said(self) -> Said:
        """What the client has been shown, of all streams."""

    def failure(self, code: str, message: str) -> bytes:
        """An event that ends the stream with an error."""


class Dialect(Protocol):
    """One provider's API. ``format`` is the compactor's name for its messages."""

    format: str

    def read(self, body: JsonObject) -> Asked:
        """The parts of a request. Raises Untouched for one that the proxy cannot compact."""

    def write(self, body: JsonObject, sent: Sent) -> JsonObject:
        """The request with another history and list of tools, and what helps the provider to cache."""

    def tool(self, name: str, description: str, schema: JsonObject) -> JsonObject:
        """The definition of a tool."""

    def answer(self, body: JsonObject) -> Answer:
        """What an answer says. Raises ValueError for one that cannot be read."""

    def begun(self, entries: Sequence[Json]) -> int:
        """How many entries, from the first on, are the assistant's."""

    def said(self, entries: Sequence[Json]) -> Said:
        """What the assistant's entries say."""

    def answered(self, entries: Sequence[Json], results: Sequence[Result]) -> list[Json]:
        """The entries with results in front, where the provider wants them: beside the others' results."""

    def merged(self, bodies: Sequence[JsonObject], names: Collection[str]) -> JsonObject:
        """Several answers as one, without calls of the tools in ``names`` that were answered."""

    def relay(self, names: Collection[str]) -> Relay:
        """For streams of this API."""


def summed(one: Json, two: Json) -> Json:
    """Two reports of usage as one: numbers add up, the rest is the second's."""
    if isinstance(one, dict) and isinstance(two, dict):
        return {**one, **{key: summed(one.get(key), value) for key, value in two.items()}}
    if _is_number(one) and _is_number(two):
        return one + two
    return one if two is None else two


def _is_number(value: Json) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
