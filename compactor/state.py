"""Everything that an append replaces, and the one place that knows the order of the stages."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field, replace
from typing import cast

from compactor.admit import admit, open_calls
from compactor.archive import Archive
from compactor.evict import fit
from compactor.messages import Block, Json, Message
from compactor.meter import Meter
from compactor.policy import Policy
from compactor.report import Change
from compactor.truncate import FoldHtml, truncate

CHECKED_FORMATS = ("anthropic", "openai-chat")


@dataclass(frozen=True, slots=True)
class State:
    """The part of a session that stages replace, in one piece: a failed append leaves no trace."""

    version: int = 0
    history: tuple[Message, ...] = ()
    evicted: int = 0
    usage: Json = None


@dataclass(slots=True)
class Books:
    """What a session has ever known, only added to: so an append costs the same at any length.

    ``names`` maps call ids to tools, ``originals`` changed entries to the ref of their whole form,
    ``covered`` entries to the refs of pieces.
    """

    names: MutableMapping[str, str] = field(default_factory=dict)
    refs: MutableMapping[str, None] = field(default_factory=dict)
    originals: MutableMapping[int, str] = field(default_factory=dict)
    covered: MutableMapping[int, tuple[str, ...]] = field(default_factory=dict)

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

    def note(self, changes: Iterable[Change], raws: Mapping[int, Json], archive: Archive) -> None:
        """Enter what was changed; the whole of every changed entry is archived once."""
        for change in changes:
            self.refs[change.ref] = None
            if change.seq < 0:
                continue
            before = self.covered.get(change.seq, ())
            self.covered[change.seq] = tuple(dict.fromkeys((*before, change.ref)))
            if change.seq not in self.originals and change.seq in raws:
                ref = archive.put(raws[change.seq])
                self.originals[change.seq] = ref
                self.refs[ref] = None


@dataclass(frozen=True, slots=True)
class Tools:
    """What a session's stages work with: its policy, budget, archive, counter and page folder."""

    policy: Policy
    budget_chars: int
    archive: Archive
    meter: Meter
    fold_html: FoldHtml | None = None


def step(state: State, message: Message, books: Books, tools: Tools) -> tuple[State, list[Change]]:
    """The state after one message, and what was done: truncate, mend, evict, in this order.

    Raises:
        BudgetError: it cannot be made to fit.
    """
    history = list(state.history)
    raws = {seq: raw for known in history for seq, raw in known.members}
    raws[message.seq] = message.raw
    calls = _turn_calls(history)
    message, changes = truncate(
        message, calls, policy=tools.policy, archive=tools.archive, fold_html=tools.fold_html
    )
    history, mended = admit(history, message, tools.archive, books.names)
    history, fitted = fit(
        history,
        tools.budget_chars,
        policy=tools.policy,
        archive=tools.archive,
        meter=tools.meter,
    )
    changes = [*changes, *mended, *fitted]
    books.names.update({call.alias or call.id: call.name for call in message.calls})
    books.note(changes, raws, tools.archive)
    evicted = sum(change.step == "evict" for change in fitted)
    return replace(
        state,
        version=state.version + 1,
        history=tuple(history),
        evicted=state.evicted + evicted,
    ), changes


def _turn_calls(history: Sequence[Message]) -> dict[str, Block]:
    """The calls of the turn that is open, by the ids that the caller knows."""
    at, _ = open_calls(history)
    return {} if at < 0 else {call.alias or call.id: call for call in history[at].calls}
