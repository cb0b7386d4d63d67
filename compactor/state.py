"""Everything that an append replaces, and the one place that knows the order of the stages."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterable, MutableMapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import cast

from compactor.admit import admit, open_calls
from compactor.archive import Archive
from compactor.compress import compress
from compactor.cost import cost
from compactor.errors import BudgetError
from compactor.evict import fit
from compactor.memory import Memory, attach, note, remember
from compactor.messages import Block, Json, Message
from compactor.meter import Meter
from compactor.policy import Policy
from compactor.report import Change
from compactor.schema import Shown, shown_after
from compactor.truncate import FoldHtml, truncate

#: Characters around a note in the dearest format.
_NOTE_OVERHEAD = 96
CHECKED_FORMATS = ("anthropic", "openai-chat")


@dataclass(frozen=True, slots=True)
class State:
    """The part of a session that stages replace, in one piece: a failed append leaves no trace."""

    version: int = 0
    history: tuple[Message, ...] = ()
    evicted: int = 0
    usage: Json = None
    memory: Memory = field(default_factory=Memory)
    shown: Shown = field(default_factory=Shown)
    chars: int = 0


@dataclass(slots=True)
class Books:
    """What a session has ever known, only added to: so an append costs the same at any length.

    ``names`` maps call ids to tools, ``originals`` changed entries to the ref of their whole form,
    ``covered`` entries to the refs of pieces; ``others`` are entries that are no messages.
    """

    names: MutableMapping[str, str] = field(default_factory=dict)
    refs: MutableMapping[str, None] = field(default_factory=dict)
    originals: MutableMapping[int, str] = field(default_factory=dict)
    covered: MutableMapping[int, tuple[str, ...]] = field(default_factory=dict)
    others: dict[int, str] = field(default_factory=dict)

    def draft(self) -> Books:
        """Books that read through to these and keep their additions to themselves."""
        return Books(
            ChainMap({}, self.names),
            ChainMap({}, self.refs),
            ChainMap({}, self.originals),
            ChainMap({}, self.covered),
        )

    def take(self, draft: Books) -> None:
        """Add what a draft of these books holds."""
        for own, other in (
            (self.names, draft.names),
            (self.refs, draft.refs),
            (self.originals, draft.originals),
            (self.covered, draft.covered),
        ):
            assert isinstance(other, ChainMap)
            cast("dict[object, object]", own).update(other.maps[0])

    def note(self, changes: Iterable[Change], known: Iterable[Message], archive: Archive) -> None:
        """Enter what was changed; the whole of every changed entry is archived once.

        ``known`` are the messages as they stood before. Entries that share a message change together.
        """
        changes = list(changes)
        if not changes:
            return
        groups = {seq: message.members for message in known for seq, _ in message.members}
        for change in changes:
            if change.ref:
                self.refs[change.ref] = None
                before = self.covered.get(change.seq, ())
                self.covered[change.seq] = tuple(dict.fromkeys((*before, change.ref)))
            for seq, raw in groups.get(change.seq, ()):
                if seq not in self.originals:
                    self.originals[seq] = archive.put(raw)
                    self.refs[self.originals[seq]] = None


@dataclass(frozen=True, slots=True)
class Tools:
    """What a session's stages work with: its policy, budget, archive, counter and page folder."""

    policy: Policy
    budget_chars: int
    archive: Archive
    meter: Meter
    fold_html: FoldHtml | None = None
    tools_digest: str = ""

    @property
    def anchor_chars(self) -> int:
        """Room that is kept for the working memory, in characters of its text."""
        return int(self.policy.anchor_share * self.budget_chars) if self.policy.anchor else 0

    def room(self, memory: Memory) -> int:
        """What of the budget is left for the history beside a note that floats."""
        if self.policy.schedule != "epoch" or not memory.called:
            return self.budget_chars
        return self.budget_chars - self.anchor_chars - _NOTE_OVERHEAD


def note_of(state: State, books: Books, tools: Tools) -> str:
    """The working memory's text for the newest entry; empty while a call waits for its result."""
    if open_calls(state.history)[1]:
        return ""
    total = tools.meter.total(state.history)
    used, refs, limit = total / tools.budget_chars, len(books.refs), tools.anchor_chars
    left = tools.budget_chars - total - _NOTE_OVERHEAD
    text = note(state.memory, used=used, refs=refs, limit=limit)
    while text and cost(text) > left:
        # Escapes cost more than one character, and a tight budget leaves less than the usual room.
        limit = min(limit * 3 // 4, left)
        text = note(state.memory, used=used, refs=refs, limit=limit)
    return text


def step(state: State, message: Message, books: Books, tools: Tools) -> tuple[State, list[Change]]:
    """The state after one message, and what was done: truncate, mend, evict, in this order.

    Raises:
        BudgetError: it cannot be made to fit.
    """
    history = list(state.history)
    known = [*history, message]
    calls = _turn_calls(history)
    message, changes = truncate(
        message, calls, policy=tools.policy, archive=tools.archive, fold_html=tools.fold_html
    )
    policy = tools.policy
    before = len(history)
    history, mended = admit(history, message, tools.archive, books.names)
    changes += mended
    memory = remember(state.memory, message, key_info_chars=policy.key_info_chars)
    made = replace(
        state,
        version=state.version + 1,
        memory=memory,
        chars=state.chars + (tools.meter.one(history[-1]) if len(history) >= before else 0),
    )
    made = replace(
        made,
        shown=shown_after(
            state.shown,
            turn=memory.turn,
            chars=made.chars,
            digest=tools.tools_digest,
            policy=policy,
        ),
    )
    if policy.schedule == "every_n_turns":
        history, compressed = _every_n_turns(history, message, made, books, tools)
        changes += compressed
    history, fitted = fit_beside_note(history, memory, tools)
    changes += fitted
    books.names.update({call.alias or call.id: call.name for call in message.calls})
    books.note(changes, known, tools.archive)
    evicted = sum(change.step == "evict" for change in fitted)
    return replace(made, history=tuple(history), evicted=state.evicted + evicted), changes


def fit_beside_note(
    history: list[Message], memory: Memory, tools: Tools
) -> tuple[list[Message], list[Change]]:
    """Fit the history into the budget with room for the working memory, or without if it must be.

    Raises:
        BudgetError: it cannot be made to fit.
    """
    policy, archive, meter = tools.policy, tools.archive, tools.meter
    room = tools.room(memory)
    with suppress(BudgetError):
        return fit(history, room, policy=policy, archive=archive, meter=meter)
    return fit(history, tools.budget_chars, policy=policy, archive=archive, meter=meter)


def _every_n_turns(
    history: list[Message], message: Message, state: State, books: Books, tools: Tools
) -> tuple[list[Message], list[Change]]:
    """Compress each few turns; every result carries a working memory of its own."""
    policy = tools.policy
    changes: list[Change] = []
    if message.role == "assistant" and state.memory.turn % policy.compress_every_turns == 0:
        history, changes = compress(
            history,
            exempt=policy.compress_exempt,
            limit=policy.compress_chars,
            archive=tools.archive,
        )
    if message.results:
        text = note_of(replace(state, history=tuple(history)), books, tools)
        history = attach(history, text)
    return history, changes


def _turn_calls(history: Sequence[Message]) -> dict[str, Block]:
    """The calls of the turn that is open, by the ids that the caller knows."""
    at, _ = open_calls(history)
    return {} if at < 0 else {call.alias or call.id: call for call in history[at].calls}
