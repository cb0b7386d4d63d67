"""What the Responses API asks of items that make up one turn of the assistant."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from compactor.archive import Archive
from compactor.cost import serialise
from compactor.formats import openai_responses
from compactor.messages import Message
from compactor.report import Change


def continues(history: Sequence[Message], message: Message) -> bool:
    """Whether an item goes on with the assistant's turn before it."""
    before = history[-1] if history else None
    return (
        message.role == "assistant"
        and message.format == openai_responses.NAME
        and before is not None
        and before.role == "assistant"
        and before.format == openai_responses.NAME
        and before.pinned == message.pinned
    )


def without_lone_thought(
    history: Sequence[Message], message: Message, archive: Archive
) -> tuple[list[Message], list[Change]]:
    """Reasoning items that nothing of their turn followed are not accepted: they go, archived."""
    out = list(history)
    if not out or out[-1].format != openai_responses.NAME or continues(out, message):
        return out, []
    last, changes = out[-1], []
    kept = list(last.blocks)
    while kept and kept[-1].kind == "thinking":
        raw = kept.pop().raw
        seq = next((seq for seq, own in last.members if own is raw), -1)
        size = len(serialise(raw))
        changes.append(Change("mend", seq, archive.put(raw), size, 0, "reasoning_alone"))
    if changes:
        out[-1:] = [last.with_blocks(tuple(kept))] if kept else []
    return out, changes


def without_lost_owner(history: Sequence[Message], message: Message) -> tuple[Message, bool]:
    """An item keeps its id only behind the reasoning item that it was made with."""
    raw = message.raw if isinstance(message.raw, dict) else {}
    if message.format != openai_responses.NAME or "id" not in raw:
        return message, False
    if openai_responses.kind_of(raw) not in openai_responses.OWNED:
        return message, False
    if continues(history, message) and any(b.kind == "thinking" for b in history[-1].blocks):
        return message, False
    bare = {key: value for key, value in raw.items() if key != "id"}
    blocks = tuple(
        replace(block, raw=bare) if block.raw is raw else block for block in message.blocks
    )
    return replace(message, raw=bare, blocks=blocks), True
