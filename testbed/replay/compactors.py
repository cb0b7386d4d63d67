"""What is replayed: a name and a way to open a compactor for one session.

Built in are ``none``, ``fifo``, ``fifo-hysteresis``, the shipped policies and whatever of the known peers is
installed. Another package adds its own under the entry-point group ``pagefold.compactors``: a function of
``Setting`` that gives a ``Compactor``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib.metadata import entry_points
from typing import Literal, Protocol

from compactor.messages import Json
from testbed.compare.source import Missing

GROUP = "pagefold.compactors"
Role = Literal["ours", "baseline", "peer", "strategy", "added"]


@dataclass(frozen=True, slots=True)
class Setting:
    """What a compactor is told when it is opened: ``budget_chars`` for the messages as they are sent."""

    format: str
    budget_chars: int
    system: tuple[Json, ...] = ()


class Compactor(Protocol):
    """One session. Messages are in the setting's format, in and out."""

    def append(self, message: Json) -> None:
        """One more message of the history."""
        ...

    def request(self) -> list[Json]:
        """What the model would be sent now."""
        ...

    def refs(self, text: str) -> Iterable[str]:
        """Handles in a request's text that can be looked up; none where it has no such thing."""
        ...

    def expand(self, ref: str) -> str:
        """The text that one look-up brings back."""
        ...


Opener = Callable[[Setting], Compactor]


@dataclass(frozen=True, slots=True)
class Entry:
    """``load`` imports what it needs. Raises Missing from it where that is not installed."""

    name: str
    role: Role
    load: Callable[[], Opener]


def names() -> tuple[str, ...]:
    """Every compactor that can be asked for, installed or not."""
    return tuple(_all())


def choose(wanted: Sequence[str]) -> tuple[dict[str, Opener], dict[str, str]]:
    """Openers by name, of ``all``, ``strategies`` or some; with those that cannot be had and why.

    Strategies are many and not among ``all``.

    Raises:
        Missing: there is no compactor of that name.
    """
    known = _all()
    chosen: dict[str, Opener] = {}
    absent: dict[str, str] = {}
    for name in dict.fromkeys(n for each in wanted for n in _named(each, known)):
        if name not in known:
            raise Missing(f"{name!r} is no compactor; there are {', '.join(known)}")
        try:
            chosen[name] = known[name].load()
        except Missing as error:
            absent[name] = str(error)
    return chosen, absent


def _named(wanted: str, known: dict[str, Entry]) -> list[str]:
    strategies = [name for name, entry in known.items() if entry.role == "strategy"]
    if wanted == "strategies":
        return strategies
    return [name for name in known if name not in strategies] if wanted == "all" else [wanted]


def is_ours(name: str) -> bool:
    """Whether it is one of the shipped policies."""
    known = _all().get(name)
    return known is not None and known.role == "ours"


def _all() -> dict[str, Entry]:
    # Imported late: they build on what stands here.
    from testbed.replay import baselines, ours, peers

    found: list[Entry] = []
    parts: tuple[tuple[Role, dict[str, Callable[[], Opener]]], ...] = (
        ("baseline", baselines.BASELINES),
        ("ours", ours.POLICIES),
        ("peer", peers.PEERS),
        ("strategy", ours.STRATEGIES),
    )
    for role, loads in parts:
        found += [Entry(name, role, load) for name, load in loads.items()]
    for entry in sorted(entry_points(group=GROUP), key=lambda each: each.name):
        found.append(Entry(entry.name, "added", entry.load))
    return {entry.name: entry for entry in found}
