"""What a run of requests costs where the start that two of them share is read from a cache."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from compactor.cost import serialise
from compactor.messages import Json
from compactor.plan import shared_start

#: Against plain input, as the dearest large provider asks.
READ, WRITE = 0.1, 1.25


@dataclass(frozen=True, slots=True)
class Sent:
    """One request: characters in all, and those that are the start of the one before.

    ``broken``: it does not start with the one before but for its newest entry.
    """

    chars: int
    reused: int
    broken: bool

    @property
    def cost(self) -> float:
        """In characters of plain input."""
        return READ * self.reused + WRITE * (self.chars - self.reused)


class Wire:
    """Follows requests one after another."""

    def __init__(self) -> None:
        self._before: str | None = None
        self._lasting = ""

    def send(self, messages: list[Json]) -> tuple[str, Sent]:
        """The request as it is written, and what it costs after the one before."""
        text = serialise(messages)
        reused = shared_start(self._before, text) if self._before is not None else 0
        broken = self._before is not None and not text.startswith(self._lasting)
        self._before, self._lasting = text, serialise(messages[:-1])[:-1]
        return text, Sent(len(text), reused, broken)


def uncompacted(sizes: Iterable[int]) -> Iterator[Sent]:
    """Requests of a history that only grows, of which the sizes are known."""
    before = 0
    for size in sizes:
        yield Sent(size, before, broken=False)
        before = size
