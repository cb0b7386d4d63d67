"""Older turns in one line each, by level: first what was done, then only what was called, then the count."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from compactor.archive import Archive
from compactor.groups import turns
from compactor.memory import Memory, remember
from compactor.messages import Message
from compactor.policy import Policy
from compactor.trust import one_line

Level = Literal[1, 2, 3]
_LINE = 160


def fold_turns(history: Sequence[Message], archive: Archive, *, level: Level = 1) -> list[str]:
    """A line for each turn with the ref of its messages, oldest first.

    Level 1 says what was called, with what, and what came of it; level 2 only the tools; level 3 is one
    line for all.
    """
    groups = turns(history)
    if level == 3:
        raws = [raw for message in history for _, raw in message.members]
        return (
            [f"[{len(groups)} turns, {len(raws)} messages, ref={archive.put(raws)}]"]
            if raws
            else []
        )
    lines = []
    for group in groups:
        members = [history[index] for index in group]
        raws = [raw for message in members for _, raw in message.members]
        if raws:
            said = _said(members) if level == 1 else _called(members)
            lines.append(f"{said[:_LINE]} (ref={archive.put(raws)})")
    return lines


def _said(members: Sequence[Message]) -> str:
    memory = Memory()
    for message in members:
        memory = remember(memory, message, key_info_chars=Policy().key_info_chars)
    if memory.lines or memory.pending:
        return memory.lines[-1] if memory.lines else memory.pending
    texts = " ".join(block.text for message in members for block in message.blocks)
    return f"{members[0].role}: {one_line(texts)}"


def _called(members: Sequence[Message]) -> str:
    names = dict.fromkeys(call.name for message in members for call in message.calls)
    return ", ".join(names) if names else members[0].role
