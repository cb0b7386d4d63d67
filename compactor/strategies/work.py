"""What a strategy works with, and what comes of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from compactor.archive import Archive
from compactor.facts import Facts
from compactor.kit import Ask
from compactor.messages import Json, Message
from compactor.policy import Policy
from compactor.report import Change
from compactor.strategy import StrategyRule


@dataclass(frozen=True, slots=True)
class Work:
    """What one run is given.

    Attributes:
        rule: the strategy and its settings.
        policy: what may never go.
        archive: where originals are put first.
        ask: the summariser.
        share: the part of the budget that a history takes; 1 where nobody counts.
        facts: what the entries said, as they came; ``None``: only what stands in the messages.
        ref_of: the ref of an entry that has left the context before; ``None`` for others.
        facts_chars: the most that the listing of facts beside a summary may take.
    """

    rule: StrategyRule
    policy: Policy
    archive: Archive
    ask: Ask
    share: Callable[[Sequence[Message]], float] = lambda _: 1.0
    facts: Facts | None = None
    ref_of: Callable[[int], str | None] = lambda _: None
    facts_chars: int = 2_000

    @property
    def stale(self) -> frozenset[str]:
        """Values that the session has replaced."""
        return frozenset(self.facts.stale) if self.facts is not None else frozenset()


@dataclass(frozen=True, slots=True)
class Outcome:
    """The history after a strategy; the same messages where nothing was done.

    ``changes`` name every entry that was changed, and why; ``notes`` what a summariser got wrong.
    """

    history: list[Message]
    changes: list[Change] = field(default_factory=list)
    notes: tuple[str, ...] = ()


class Strategy(Protocol):
    """A pure step: the same history, work and replies give the same outcome."""

    def __call__(self, history: Sequence[Message], work: Work) -> Outcome: ...


def calls_of(history: Sequence[Message]) -> Mapping[str, tuple[str, Json]]:
    """Tool and input of each call's id."""
    return {call.id: (call.name, call.input) for message in history for call in message.calls}
