"""Entries that are no messages, as pure steps from state to state, so that a log can repeat them."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace

from compactor import formats
from compactor.books import Books
from compactor.clear import clear
from compactor.errors import ArtifactCorrupt, MandatoryDoesNotFit, NotFound
from compactor.estimate import estimate_tokens
from compactor.evict import batch
from compactor.kit import Kit
from compactor.log import Entry
from compactor.messages import Message, entries
from compactor.older import put_summary
from compactor.recording import Player
from compactor.report import Change
from compactor.shortening import shortener
from compactor.snapshot import check_kept
from compactor.state import Compacted, State, told_of
from compactor.strategy import StrategyRule, rule_of
from compactor.thought import whole_or_none


def history_tokens(history: Sequence[Message]) -> int:
    """Estimated tokens of what stands in the context now; no number that was reported before."""
    return estimate_tokens(formats.write(history, "openai-chat")[0])


def repeat(state: State, entry: Entry, books: Books, kit: Kit) -> State:
    """The state after an entry of the log that is no message.

    Raises:
        ArtifactCorrupt: the entry does not fit the state.
    """
    body = entry.body
    if entry.kind == "key_info":
        return note_step(state, body["text"])
    if entry.kind == "pin":
        return pin_step(state, body["seq"], kit, pinned=body["pinned"])
    if entry.kind == "summary":
        made = summary_step(state, set(body["seqs"]), body["text"], body["ref"], books, kit)
        if made is None:
            raise ArtifactCorrupt("The log's summary covers what is not there.")
        return made[0]
    if entry.kind == "strategy":
        kit = replace(kit, ask=Player(body["replies"]) if body["replies"] else None)
        return strategy_step(state, rule_of(body["rule"]), books, kit)[0]
    if entry.kind == "note":
        return draft_step(state, body["name"], body["ref"])
    if entry.kind == "compact":
        return batch_step(state, body["target_chars"], books, kit)[0]
    return clear_step(state, body["keep"], body["exclude"], books, kit)[0]


def note_step(state: State, text: str) -> State:
    """The state with another note of the agent's."""
    return replace(state, version=state.version + 1, memory=replace(state.memory, key_info=text))


def draft_step(state: State, name: str, ref: str) -> State:
    """The state with a note beside the history; without it, where there is no ref."""
    notes = {known: at for known, at in state.notes if known != name}
    kept = (*notes.items(), (name, ref)) if ref else tuple(notes.items())
    return replace(state, version=state.version + 1, notes=kept)


def pin_step(state: State, seq: int, kit: Kit, *, pinned: bool) -> State:
    """The state with a message pinned, or not any more.

    Raises:
        NotFound: the message does not stand in the context.
        MandatoryDoesNotFit: with it, pinned and system messages are over the budget.
    """
    at = next((i for i, m in enumerate(state.history) if seq in entries([m])), -1)
    if at < 0:
        raise NotFound(
            f"Message {seq} does not stand in the context; append it again, pinned.",
            field="message",
        )
    history = list(state.history)
    history[at] = replace(history[at], pinned=pinned)
    fixed = [m for m in history if m.pinned or m.role == "system"]
    if pinned and kit.meter.total(fixed) > kit.budget_chars:
        raise MandatoryDoesNotFit(
            f"With message {seq}, pinned and system messages need {kit.meter.total(fixed)} characters, "
            f"the budget is {kit.budget_chars}; unpin some, or set a larger budget_chars.",
            field="message",
        )
    return replace(state, version=state.version + 1, history=tuple(history))


def summary_step(
    state: State, covered: AbstractSet[int], text: str, ref: str, books: Books, kit: Kit
) -> tuple[State, list[Change], list[Message]] | None:
    """The state with a summary in place of the covered entries, and the messages that it replaces.

    ``None`` where a covered entry has left the history meanwhile.
    """
    history = put_summary(state.history, covered, text)
    if history is None:
        return None
    standing = {id(message) for message in history}
    gone = [message for message in state.history if id(message) not in standing]
    changes = [
        Change("summarise", seq, ref, kit.meter.one(message) // len(message.members), 0, "older")
        for message in gone
        for seq in sorted(entries([message]))
    ]
    books.note(changes, state.history, kit.archive)
    return _rewritten(state, history), changes, gone


def clear_step(
    state: State, keep: int, exclude: Sequence[str], books: Books, kit: Kit
) -> tuple[State, list[Change]]:
    """The state with consumed results cleared."""
    history, changes = clear(state.history, keep=keep, exclude=exclude, archive=kit.archive)
    books.note(changes, state.history, kit.archive)
    return _rewritten(state, history), changes


def batch_step(
    state: State, target_chars: int, books: Books, kit: Kit
) -> tuple[State, list[Change]]:
    """The state after one batch down to ``target_chars``; no change where nothing would be gained."""
    before = list(state.history)
    # Planned and done alike, so without a model: a plan names exactly one outcome.
    shorten = shortener(state.facts, books, replace(kit, ask=None))
    kit = replace(kit, shorten=shorten, facts=state.facts)
    size = kit.meter.total(before)
    made = replace(state, version=state.version + 1)
    if size <= target_chars:
        return made, []
    history, changes = batch(before, target_chars, kit, over=target_chars)
    drop_all = kit.policy.drop_signed_after_cut
    history, unsigned = whole_or_none(before, history, kit.archive, drop_all=drop_all)
    if kit.meter.total(history) >= size:
        return made, []
    changes += unsigned
    books.note(changes, before, kit.archive)
    history, left = told_of(history, state, changes, books, kit, room=target_chars)
    gone = sum(change.step == "evict" for change in changes)
    made = replace(_rewritten(state, history), evicted=state.evicted + gone, left=left)
    return made, changes


def strategy_step(
    state: State, rule: StrategyRule, books: Books, kit: Kit
) -> tuple[State, list[Change]]:
    """The state after a strategy that was asked for; no change where it has nothing to do."""
    kit = replace(kit, policy=replace(kit.policy, strategy=rule))
    shorten = shortener(state.facts, books, kit)
    history, changes = list(state.history), list[Change]()
    if shorten is not None:
        history, changes = shorten(history, kit.budget_chars)
    if not changes:
        return replace(state, version=state.version + 1), []
    books.note(changes, state.history, kit.archive)
    return _rewritten(state, history), changes


def _rewritten(state: State, history: Sequence[Message]) -> State:
    """One step on, in a new epoch, where the new history holds what it must."""
    check_kept(state.history, history)
    made = tuple(history)
    version, epoch = state.version + 1, state.epoch.next()
    newest = Compacted(version, state.history, made)
    return replace(state, version=version, history=made, epoch=epoch, newest=newest)
