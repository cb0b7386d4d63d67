"""Everything that an append replaces, and the one place that knows the order of the stages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from compactor.admit import admit
from compactor.books import Books
from compactor.budget import Budget
from compactor.clean import clean
from compactor.compress import compress
from compactor.cost import cost
from compactor.ending import end_early
from compactor.epoch import Epoch
from compactor.facts import Facts
from compactor.kit import NOTE_OVERHEAD, Kit
from compactor.left import Span, left_after, told_in, with_index
from compactor.memory import Memory, attach, note, remember
from compactor.messages import Json, Message
from compactor.rebuild import chosen
from compactor.report import Change
from compactor.schema import Shown, shown_after
from compactor.settling import settle
from compactor.shortening import asked_for, shortener
from compactor.snapshot import check_kept
from compactor.trace.stale import renew, renew_told
from compactor.truncate import truncate

CHECKED_FORMATS = ("anthropic", "openai-chat")


@dataclass(frozen=True, slots=True)
class Compacted:
    """The newest compaction: the session's version behind it, and the history on either side."""

    version: int = 0
    before: tuple[Message, ...] = ()
    after: tuple[Message, ...] = ()


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
    budget: Budget = field(default_factory=lambda: Budget(0))
    facts: Facts = field(default_factory=Facts)
    rested: int = 0
    notes: tuple[tuple[str, str], ...] = ()
    epoch: Epoch = field(default_factory=Epoch)
    newest: Compacted = field(default_factory=Compacted)
    left: tuple[Span, ...] = ()


def note_of(state: State, books: Books, kit: Kit) -> str:
    """The working memory's text for the newest entry; empty while a call waits for its result."""
    if kit.turn.waiting:
        return ""
    total = kit.meter.total(state.history)
    used, refs, limit = total / kit.budget_chars, books.ref_count, kit.anchor_chars
    left = kit.budget_chars - total - NOTE_OVERHEAD
    text = note(state.memory, used=used, refs=refs, limit=limit)
    while text and cost(text) > left:
        # Escapes cost more than one character, and a tight budget leaves less than the usual room.
        limit = min(limit * 3 // 4, left)
        text = note(state.memory, used=used, refs=refs, limit=limit)
    return text


def step(state: State, message: Message, books: Books, kit: Kit) -> tuple[State, list[Change]]:
    """The state after one message, and what was done: truncate, clean, mend, compress, the policy's strategy,
    evict, in order.

    Raises:
        BudgetError: it cannot be made to fit. ``books`` and ``kit.turn`` are then ahead of the state.
    """
    kit = _aimed(kit.within(state.budget), state)
    policy, came = kit.policy, message
    message, changes = truncate(
        message, kit.turn.calls, policy=policy, archive=kit.archive, fold_html=kit.fold_html
    )
    message, cleaned = clean(message, kit.archive)
    history, mended = admit(state.history, message, books, kit)
    changes += [*cleaned, *mended]
    made = _told(state, message, _added(state.history, history, kit), kit)
    if policy.schedule == "every_n_turns":
        history, compressed = _every_n_turns(history, message, made, books, kit)
        changes += compressed
        made = replace(made, epoch=made.epoch.next() if compressed else made.epoch)
    admitted = history
    kit = replace(kit, shorten=shortener(state.facts, books, kit), facts=state.facts)
    asks = message.role in ("user", "tool") and not kit.turn.waiting
    history, fitted, made = _compacted(history, made, state, kit, asks=asks)
    books.names.update({call.alias or call.id: call.name for call in message.calls})
    # As it came: what was cut from the middle of a result is among the facts, too.
    facts = state.facts.after(came, books.names)
    if fitted and policy.trace.replace_stale:
        history, renewed = renew(history, facts.names, kit.archive)
        fitted = [*fitted, *renewed]
    elif not fitted:
        made = replace(made, epoch=made.epoch.replacing(facts.names.retired(state.facts.names)))
    changes += fitted
    kit = kit.within(made.budget)
    # An entry that was joined to the one before is changed together with it.
    if changes:
        books.note(changes, (*state.history, came, *admitted[-1:]), kit.archive)
    room = kit.room(made.memory)
    history, left = told_of(history, state, fitted, books, kit, room=room)
    if fitted and policy.trace.replace_stale:
        history = renew_told(history, facts.names)
    if left and not fitted and told_in(history) != told_in(state.history):
        # What told of earlier batches had to make room, so a request is no longer the start of the next.
        made = replace(made, epoch=made.epoch.next())
    whole, newest = tuple(history), state.newest
    if fitted:
        check_kept(admitted, history)
        newest = Compacted(made.version, tuple(admitted), whole)
    made = replace(
        made,
        history=whole,
        evicted=state.evicted + sum(change.step == "evict" for change in fitted),
        facts=facts,
        left=left,
        newest=newest,
        rested=min(made.rested, kit.meter.total(whole)),
    )
    return made, changes


def _compacted(
    history: list[Message], made: State, before: State, kit: Kit, *, asks: bool
) -> tuple[list[Message], list[Change], State]:
    """The policy's strategy, what the budget asks for, and the early end of an epoch, in order.

    ``asks`` says whether a model can be asked with this history. Raises BudgetError.
    """
    history, changes = asked_for(history, made.memory, before.rested, kit)
    rested = kit.meter.total(history) if changes else before.rested
    history, fitted, budget = settle(history, made.memory, kit, before.budget)
    changes = [*changes, *fitted]
    epoch = made.epoch.next() if changes else made.epoch
    if asks:
        kit = kit.within(budget)
        room = kit.room(made.memory)
        history, early, epoch = end_early(history, epoch, room, kit, forced=bool(changes))
        changes += early
    return history, changes, replace(made, budget=budget, epoch=epoch, rested=rested)


def _aimed(kit: Kit, state: State) -> Kit:
    """The kit with how far the next batch goes, where that is not the policy's share."""
    policy = kit.policy
    if policy.rebuild == "local":
        return kit
    shares = (policy.target_share, policy.full_share)
    room = kit.room(state.memory)
    found = chosen(state.epoch, room, policy.prices, shares=shares, rebuild=policy.rebuild)
    return replace(kit, target_share=found.share)


def told_of(
    history: list[Message],
    before: State,
    changes: Sequence[Change],
    books: Books,
    kit: Kit,
    *,
    room: int,
) -> tuple[list[Message], tuple[Span, ...]]:
    """The history with what has left told behind the task, where anything was changed."""
    left = left_after(before.left, changes, books, kit.archive)
    if not kit.policy.index_share or not left:
        return history, left
    # What is told stands near the start: the search ends there.
    if not changes and any(message.is_index for message in history):
        return history, left
    told = told_in(before.history)
    kit = replace(kit, facts=before.facts)
    more = left != before.left
    return with_index(history, told, left, books, kit, room=room, more=more), left


def _added(before: Sequence[Message], after: Sequence[Message], kit: Kit) -> int:
    """Characters of the newest message, if the history has not become shorter."""
    return kit.meter.one(after[-1]) if len(after) >= len(before) else 0


def _told(state: State, message: Message, chars: int, kit: Kit) -> State:
    """The state with what is remembered of one more message, its history not yet in it."""
    policy = kit.policy
    memory = remember(state.memory, message, key_info_chars=policy.key_info_chars)
    chars += state.chars
    shown = shown_after(
        state.shown, turn=memory.turn, chars=chars, digest=kit.tools_digest, policy=policy
    )
    version = state.version + 1
    return replace(state, version=version, memory=memory, chars=chars, shown=shown)


def _every_n_turns(
    history: list[Message], message: Message, state: State, books: Books, kit: Kit
) -> tuple[list[Message], list[Change]]:
    """Compress each few turns; every result carries a working memory of its own."""
    policy = kit.policy
    changes: list[Change] = []
    if message.role == "assistant" and state.memory.turn % policy.compress_every_turns == 0:
        history, changes = compress(
            history,
            exempt=policy.compress_exempt,
            limit=policy.compress_chars,
            archive=kit.archive,
            settled=kit.settled,
        )
    if message.results:
        text = note_of(replace(state, history=tuple(history)), books, kit)
        history = attach(history, text)
    return history, changes
