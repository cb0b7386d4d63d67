"""The older part of a history: which messages a summary may stand for, and putting it there."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from compactor.evict import mandatory
from compactor.groups import turns
from compactor.messages import SUMMARY, Block, Message, entries, is_summary
from compactor.policy import Policy
from compactor.turn import open_turn


def older(history: Sequence[Message], keep: int, policy: Policy) -> list[Message]:
    """Whole turns behind the newest ``keep`` messages, and any earlier summary; empty if it is alone.

    Pinned and system messages, the task and a turn that waits for results are not among them.
    """
    kept = mandatory(history, policy)
    turn = open_turn(history)
    waiting = len(history) - turn.behind if turn.waiting else -1
    covered: list[Message] = []
    for group in turns(history):
        members = [history[index] for index in group]
        if any(index in kept for index in group) or waiting in group:
            continue
        if group.stop <= len(history) - keep or all(map(is_summary, members)):
            covered += members
    return covered if any(message.members for message in covered) else []


def put_summary(
    history: Sequence[Message], covered: AbstractSet[int], text: str
) -> list[Message] | None:
    """The history with one summary for the covered entries and for every summary before it.

    ``None`` where one of them stands in the history no more.
    """
    out: list[Message] = []
    at, missing = -1, set(covered)
    for group in turns(history):
        members = [history[index] for index in group]
        if entries(members) & covered or all(map(is_summary, members)):
            at = len(out) if at < 0 else at
            missing -= entries(members)
        else:
            out += members
    if missing or at < 0:
        return None
    out.insert(at, Message("user", (Block("text", text=text, name=SUMMARY),)))
    return out
