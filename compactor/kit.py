"""What a session's stages work with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from compactor.archive import Archive
from compactor.budget import Budget, TokenMeter
from compactor.facts import Facts
from compactor.memory import Memory, note_chars
from compactor.messages import Message
from compactor.meter import Meter
from compactor.policy import Policy
from compactor.repeats import Repeats
from compactor.report import Change
from compactor.seen import Seen
from compactor.summarise import Reply, SummaryRequest
from compactor.truncate import FoldHtml
from compactor.turn import OpenTurn

#: Characters around a note in the dearest format.
NOTE_OVERHEAD = 96
#: About what the refs to all that has left take, with the line above them.
_SPANS_CHARS = 500


Ask = Callable[[SummaryRequest], Reply]
#: What the policy's strategy makes of a history that shall cost so many characters, and what it did.
Shorten = Callable[[list[Message], int], tuple[list[Message], list[Change]]]


@dataclass(frozen=True, slots=True)
class Kit:
    """Policy, budget, archive, counter and page folder of one session.

    ``ask`` is the summariser of the policy's strategy, ``None`` the built-in one; ``shorten`` is that
    strategy, set for one append; ``target_share`` is that of a rebuild, where it is not the policy's.
    ``turn``, ``meter``, ``settled`` and ``repeats`` are derived from the history and only save work:
    ``settled`` knows the messages that a compression would leave as they are.
    """

    policy: Policy
    budget_chars: int
    archive: Archive
    meter: Meter
    tokens: TokenMeter
    fold_html: FoldHtml | None = None
    tools_digest: str = ""
    target_share: float | None = None
    facts: Facts = field(default_factory=Facts)
    ask: Ask | None = None
    shorten: Shorten | None = None
    turn: OpenTurn = field(default_factory=OpenTurn)
    settled: Seen = field(default_factory=Seen)
    repeats: Repeats = field(default_factory=Repeats)

    def target(self, room: int) -> int:
        """What a batch of this epoch's end goes down to, of what the history may cost."""
        share = self.policy.target_share if self.target_share is None else self.target_share
        return int(share * room)

    def index_chars(self, room: int) -> int:
        """The most that the entry may cost which tells of what has left; never over half of the room, nor
        over what there is to tell.
        """
        share = int(self.policy.index_share * self.budget_chars)
        most = min(share, room // 2)
        return min(most, _SPANS_CHARS + self.facts.chars(most)) if most else 0

    @property
    def anchor_chars(self) -> int:
        """The most that the working memory may take, in characters of its text."""
        return int(self.policy.anchor_share * self.budget_chars) if self.policy.anchor else 0

    def within(self, budget: Budget) -> Kit:
        """The same in an epoch with this budget."""
        same = budget.chars == self.budget_chars
        return self if same else replace(self, budget_chars=budget.chars)

    def room(self, memory: Memory) -> int:
        """What of the budget is left for the history beside a note that floats."""
        if self.policy.schedule != "epoch" or not memory.called:
            return self.budget_chars
        return self.budget_chars - min(self.anchor_chars, note_chars(memory)) - NOTE_OVERHEAD
