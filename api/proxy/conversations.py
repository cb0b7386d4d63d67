"""The histories that the proxy knows, each with its session; the least recently used is forgotten."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import anyio

from api.proxy.dialect import Answer, Result, Said
from compactor import Context, Session
from compactor.messages import Json
from compactor.report import Report

#: Answers of one moment that are remembered: a client may ask several times at once.
_ANSWERS = 8


@dataclass(frozen=True, slots=True)
class Given:
    """An answer as the client was given it: what stands for it in the session, and the results of the
    proxy's own calls in it that wait for those of the client's.
    """

    said: Said
    entries: list[Json]
    results: tuple[Result, ...]


@dataclass(slots=True)
class Conversation:
    """One history. ``tip`` is the hash of the client's messages so far; all is guarded by ``lock``."""

    session: Session
    tip: bytes
    lock: anyio.Lock = field(default_factory=anyio.Lock)
    asked_at: float | None = None
    touched: float = 0.0
    usage: Json = None
    warned: set[str] = field(default_factory=set)
    given: list[Given] = field(default_factory=list)

    @property
    def id(self) -> str:
        """The session's name, in headers and in the log."""
        return self.session.session_id

    def append(self, entries: Sequence[Json], format: str) -> Report | None:
        """Append to the session, with what the provider last reported. Blocking.

        Raises:
            CompactorError: they cannot be read, or cannot be made to fit; nothing was changed.
        """
        if not entries:
            return None
        report = self.session.append_many(entries, format, usage=self.usage)
        self.usage = None
        return report

    def context(self, format: str) -> Context:
        """What is sent to a model now. Blocking. Raises BudgetError."""
        now = time.monotonic()
        idle_s = 0.0 if self.asked_at is None else now - self.asked_at
        self.asked_at = now
        return self.session.context(format, idle_s=idle_s)

    def cache_warning(self) -> str:
        """Why the provider's cache is hit too rarely, each reason once; empty if it is not."""
        policy = self.session.policy
        warning = self.session.hit_rate.warning(policy.least_hit_rate)
        cause = warning.partition(": ")[2]
        if not cause or cause in self.warned:
            return ""
        self.warned.add(cause)
        return warning

    def give(self, answer: Answer, said: Said, results: tuple[Result, ...]) -> None:
        """Remember an answer that is not what the client will send back of it."""
        self.given = [*self.given, Given(said, answer.entries, results)][-_ANSWERS:]

    def given_as(self, said: Said) -> Given | None:
        """The answer that these words of a client go back to."""
        for given in reversed(self.given):
            same_calls = given.said.calls == said.calls
            if same_calls and (said.calls or given.said.text.strip() == said.text.strip()):
                return given
        return None


class Conversations:
    """Finds a history by the hashes of its prefixes."""

    def __init__(
        self, most: int, ttl_s: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._most, self._ttl_s, self._clock = most, ttl_s, clock
        self._by_tip: OrderedDict[bytes, Conversation] = OrderedDict()
        self._starts: OrderedDict[bytes, None] = OrderedDict()

    def __len__(self) -> int:
        return len(self._by_tip)

    def find(self, chain: Sequence[bytes]) -> tuple[Conversation, int] | None:
        """The history that ends at the longest of these prefixes, and the prefix's length."""
        self._forget_old()
        for length in range(len(chain) - 1, 0, -1):
            found = self._by_tip.get(chain[length])
            if found is not None:
                return found, length
        return None

    def started(self, chain: Sequence[bytes]) -> bool:
        """Whether a history with this first message is known, so that this one is another branch."""
        return chain[1] in self._starts

    def keep(self, conversation: Conversation, chain: Sequence[bytes]) -> None:
        """It now stands at the end of the chain."""
        if self._by_tip.get(conversation.tip) is conversation:
            del self._by_tip[conversation.tip]
        conversation.tip, conversation.touched = chain[-1], self._clock()
        self._by_tip[conversation.tip] = conversation
        self._by_tip.move_to_end(conversation.tip)
        self._starts[chain[1]] = None
        self._starts.move_to_end(chain[1])
        while len(self._by_tip) > self._most:
            self._by_tip.popitem(last=False)
        while len(self._starts) > self._most:
            self._starts.popitem(last=False)

    def _forget_old(self) -> None:
        oldest = self._clock() - self._ttl_s
        while self._by_tip:
            first = next(iter(self._by_tip.values()))
            if first.touched >= oldest:
                return
            self._by_tip.popitem(last=False)
