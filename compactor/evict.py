"""Stage 3: when the history costs more than the budget, whole turns leave, oldest first."""

from __future__ import annotations

from collections.abc import Sequence

from compactor.compress import compress
from compactor.errors import BudgetImpossible, MandatoryDoesNotFit
from compactor.groups import turns
from compactor.kit import Kit
from compactor.messages import Message, is_opening, is_summary, text_message
from compactor.meter import Meter
from compactor.policy import Policy
from compactor.quiet import quiet_results
from compactor.repeats import fold_repeats
from compactor.report import Change
from compactor.requests import done_mark, is_done_mark, requests
from compactor.thought import whole_or_none
from compactor.window import window

EVICTED_START = "[earlier messages are in the archive]"


def fit(history: list[Message], budget: int, kit: Kit) -> tuple[list[Message], list[Change]]:
    """A history that costs at most ``budget``, and what was done for it.

    First one batch, as in ``batch``, down to the policy's share of the budget. If that is not enough,
    the largest remaining blocks are windowed; then turns below the floor go too, all but the newest.
    Linear in the size of the history.

    Raises:
        MandatoryDoesNotFit: pinned and system messages alone are over the budget.
        BudgetImpossible: even the smallest form of the newest turn is over it.
    """
    policy, archive, meter = kit.policy, kit.archive, kit.meter
    if meter.total(history) <= budget:
        return history, []
    target = kit.target(budget)
    over = target if policy.evict_over_share is None else policy.evict_over_share * budget
    out, changes = batch(history, target, kit, over=over)
    if meter.total(out) > budget:
        out, windowed = window(out, budget, archive, meter.total)
        changes += windowed
    if meter.total(out) > budget:
        out, more = _evict(out, mandatory(out, policy, asked=False), budget, 0, kit)
        changes += more
    out, unsigned = whole_or_none(history, out, archive, drop_all=policy.drop_signed_after_cut)
    if meter.total(out) > budget:
        _refuse(out, budget, meter)
    return out, changes + unsigned


def batch(
    history: list[Message], target: int, kit: Kit, *, over: float
) -> tuple[list[Message], list[Change]]:
    """Repeated results and noise folded (schedule ``epoch``), the policy's strategy, then all but the newest
    messages compressed; if that costs more than ``over``, whole turns leave, oldest first, until less than
    ``target`` or the policy's floor of messages is left. The entry that tells of what has left is taken
    out: another one follows, for which there is room below the target.
    """
    policy, changes = kit.policy, list[Change]()
    history = [message for message in history if not message.is_index]
    if policy.schedule == "epoch":
        history, changes = fold_repeats(history, kit.archive)
        history, noise = quiet_results(
            history,
            exempt=policy.evict_exempt,
            limit=policy.compress_chars,
            archive=kit.archive,
        )
        changes += noise
        if changes and kit.meter.total(history) < target:
            return history, changes
    if kit.shorten is not None:
        history, shortened = kit.shorten(history, target)
        changes += shortened
        if shortened and kit.meter.total(history) < target:
            return history, changes
    out, compressed = compress(
        history,
        exempt=policy.evict_exempt,
        limit=policy.compress_chars,
        archive=kit.archive,
        settled=kit.settled,
    )
    changes += compressed
    if kit.meter.total(out) > over:
        # A summary stands for all that left before: it is the last to go.
        kept = mandatory(out, policy) | {i for i, m in enumerate(out) if is_summary(m)}
        least = target - kit.index_chars(target)
        out, evicted = _evict(out, kept, least, policy.floor_messages, kit)
        changes += evicted
    return out, changes


def mandatory(history: Sequence[Message], policy: Policy, *, asked: bool = True) -> set[int]:
    """Places that are never evicted: pinned and system messages, and the task where the policy says
    so; with ``asked`` also the request that is open, and the mark of one that is done.
    """
    kept = {i for i, m in enumerate(history) if m.pinned or m.role == "system"}
    if policy.keep_first_user:
        start = _boundary(history)
        first = next(
            (
                i
                for i, m in enumerate(history)
                if i >= start
                and m.role == "user"
                and m.seq >= 0
                and not m.results
                and not is_opening(m)
            ),
            None,
        )
        if first is not None:
            kept.add(first)
        if asked:
            kept |= {i for i, m in enumerate(history) if is_done_mark(m) or m.is_index}
            kept |= {requests(history).active} - {-1}
    return kept


def _boundary(history: Sequence[Message]) -> int:
    """Where the newest summary stands that the history came with: it stands for all before it."""
    for index in range(len(history) - 1, -1, -1):
        message = history[index]
        marked = isinstance(message.raw, dict) and message.raw.get("compaction") is True
        if marked or any(b.kind == "opaque" and b.name == "compaction" for b in message.blocks):
            return index
    return 0


def _evict(
    history: list[Message], kept: set[int], target: int, floor: int, kit: Kit
) -> tuple[list[Message], list[Change]]:
    meter = kit.meter
    groups = turns(history)
    done = kept.intersection(requests(history).done)
    # The mark behind a request that is done takes room too.
    total = meter.total(history) + len(done) * meter.one(done_mark())
    left = len(history) - sum(1 for message in history if message.pinned)
    gone: set[int] = set()
    changes: list[Change] = []
    for group in groups[:-1]:
        if total < target or left <= floor:
            break
        if any(index in kept for index in group):
            continue
        members = [history[index] for index in group]
        size = sum(meter.one(message) for message in members)
        total -= size
        left -= len(members)
        gone.update(group)
        for message in members:
            entries = message.members
            for seq, raw in entries:
                ref = kit.archive.put(raw)
                share = meter.one(message) // len(entries)
                changes.append(Change("evict", seq, ref, share, 0, "budget"))
    out: list[Message] = []
    for index, message in enumerate(history):
        if index not in gone:
            out.append(message)
            if index in done and index + 1 in gone:
                out.append(done_mark())
    return _with_user_first(out), changes


def _with_user_first(history: list[Message]) -> list[Message]:
    for index, message in enumerate(history):
        if message.role == "system":
            continue
        if message.role == "user" and not message.results:
            return history
        return [*history[:index], text_message("user", EVICTED_START), *history[index:]]
    return history


def _refuse(history: Sequence[Message], budget: int, meter: Meter) -> None:
    fixed = [m for m in history if m.pinned or m.role == "system"]
    if fixed and meter.total(fixed) > budget:
        raise MandatoryDoesNotFit(
            f"Pinned and system messages need {meter.total(fixed)} characters, the budget is "
            f"{budget}; unpin some, or set a larger budget_chars.",
            field="budget_chars",
        )
    largest = max(history, key=lambda message: meter.one(message))
    raise BudgetImpossible(
        f"The newest turn cannot be brought under {budget} characters (message {largest.seq} alone "
        f"needs {meter.one(largest)}); set a larger budget_chars or send fewer blocks at once.",
        field="budget_chars",
    )
