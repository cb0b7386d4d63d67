"""The early end of an epoch: a compaction that no budget asked for yet, made only where it pays."""

from __future__ import annotations

from dataclasses import replace

from compactor.epoch import Epoch
from compactor.evict import batch
from compactor.kit import Kit
from compactor.messages import Message
from compactor.repeats import fold_repeats
from compactor.report import Change
from compactor.thought import whole_or_none
from compactor.trace.stale import stands
from compactor.trigger import Reason, reason, stale_is_due


def end_early(
    history: list[Message], epoch: Epoch, room: int, kit: Kit, *, forced: bool
) -> tuple[list[Message], list[Change], Epoch]:
    """The history that a model can be asked with now, and the epoch with that request counted.

    ``room`` is what the history may cost, in characters. Unless a compaction was ``forced`` just now,
    the policy's triggers may ask for one; where it gains too little, all stays as it was and none is
    tried again before the budget asks for one.
    """
    triggers, size = kit.policy.triggers, kit.meter.total(history)
    keep = triggers.growth_turns
    if kit.policy.schedule == "epoch" and not forced and epoch.circuit.allows(epoch.number):
        target, rules = kit.target(room), (triggers, kit.policy.prices)
        repeated = kit.repeats.total(history)
        why = reason(epoch, size, room=room, repeated=repeated, target=target, rules=rules)
        if not why and stale_is_due(epoch, size, target, rules):
            why = "stale" if stands(history, epoch.outdated) else ""
            epoch = epoch if why else replace(epoch, outdated=())
        if why:
            out, changes = _compacted(history, target, why, kit)
            smaller = kit.meter.total(out)
            if size - smaller >= max(1, triggers.least_gain_share * size):
                return out, changes, epoch.next(forced=False).asked(smaller, 0, keep=keep)
            kit.meter.keep_only(history)
            epoch = epoch.stopped()
    return history, [], epoch.asked(size, size - epoch.newest, keep=keep)


def _compacted(
    history: list[Message], target: int, why: Reason, kit: Kit
) -> tuple[list[Message], list[Change]]:
    if why == "repeated":
        out, changes = fold_repeats(history, kit.archive)
    else:
        out, changes = batch(history, target, kit, over=target)
    drop_all = kit.policy.drop_signed_after_cut
    out, unsigned = whole_or_none(history, out, kit.archive, drop_all=drop_all)
    return out, changes + unsigned
