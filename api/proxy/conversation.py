"""One history that the proxy knows: its session, and answers that the client was given in part."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

import anyio

from api.proxy.dialect import Answer, Result, Said
from api.proxy.holding import WeighedArchive
from compactor import Context, Session
from compactor.cost import cost
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
    """One history. ``tip`` is the hash of the client's messages so far, ``bare`` that without what the
    system says; all is guarded by ``lock``.

    ``private``: it knows more than those messages say, from calls of the proxy's own tools.

    ``held_chars`` is what it takes in memory: system, tools, history, the originals of what was taken
    out, and answers that are remembered.
    """

    session: Session
    tip: bytes
    tenant: str = ""
    held_chars: int = 0
    lock: anyio.Lock = field(default_factory=anyio.Lock)
    asked_at: float | None = None
    touched: float = 0.0
    usage: Json = None
    warned: set[str] = field(default_factory=set)
    given: list[Given] = field(default_factory=list)
    bare: bytes = b""
    private: bool = False

    @property
    def id(self) -> str:
        """The session's name, in headers and in the log."""
        return self.session.session_id

    def stands_at(self, tip: bytes, bare: bytes) -> bool:
        """Whether a history with these hashes is this one, as far as it goes."""
        return self.tip == tip or (not self.private and self.bare == bare != b"")

    def append(self, entries: Sequence[Json], format: str) -> Report | None:
        """Append to the session, with what the provider last reported. Blocking.

        Raises:
            CompactorError: they cannot be read, or cannot be made to fit; nothing was changed.
        """
        if not entries:
            return None
        report = self.session.append_many(entries, format, usage=self.usage)
        self.usage = None
        self._weigh()
        return report

    def _weigh(self) -> None:
        session = self.session
        fixed = sum(cost(part) for part in (session.system, session.tools) if part)
        archive = session.archive
        archived = archive.chars if isinstance(archive, WeighedArchive) else 0
        given = sum(cost(entry) for each in self.given for entry in each.entries)
        self.held_chars = fixed + session.as_json()["cost_chars"] + archived + given

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
        self.private = True
        self.given = [*self.given, Given(said, answer.entries, results)][-_ANSWERS:]
        self._weigh()

    def given_as(self, said: Said) -> Given | None:
        """The answer that these words of a client go back to."""
        for given in reversed(self.given):
            same_calls = given.said.calls == said.calls
            if same_calls and (said.calls or given.said.text.strip() == said.text.strip()):
                return given
        return None
