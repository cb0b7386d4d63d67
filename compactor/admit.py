"""Let one message into a history so that the history stays valid for every provider.

Calls and results pair up, results stand right after their calls, ids are unique, nothing is empty,
text is encodable. What had to be changed is archived as it came.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import regex

from compactor.archive import Archive
from compactor.cost import serialise
from compactor.formats import anthropic
from compactor.messages import Block, Json, Message, text_message
from compactor.report import Change

NO_RESULT = "[no result: the next message came first]"
OPENING = "[the session starts with the assistant]"
_LONE = regex.compile("[\ud800-\udfff]")


def open_calls(history: Sequence[Message]) -> tuple[int, dict[str, Block]]:
    """Where the last turn's calls stand (-1: none), and those without a result, in order."""
    for index in range(len(history) - 1, -1, -1):
        message = history[index]
        if message.role == "assistant":
            answered = {result.id for later in history[index + 1 :] for result in later.results}
            waiting = {call.id: call for call in message.calls if call.id not in answered}
            return (index, waiting) if waiting else (-1, {})
        if not message.results:
            break
    return -1, {}


def admit(
    history: list[Message], message: Message, archive: Archive, names: Mapping[str, str]
) -> tuple[list[Message], list[Change]]:
    """The history with the message in it, and what had to be mended.

    ``names`` maps ids of calls that have left the history to their tools.
    """
    original = message
    message, why = _clean(message)
    out = list(history)
    if message.role == "assistant":
        message, renamed = _unique_ids(message, {call.id for old in out for call in old.calls})
        why += ["id"] if renamed else []
        why += _close(out)
        if not out or all(old.role == "system" for old in out):
            out.append(text_message("user", OPENING))
            why.append("first_role")
        out.append(message)
    else:
        why += _admit_answer(out, message, names)
    if not why:
        return out, []
    ref = archive.put(original.raw)
    size = len(serialise(original.raw))
    return out, [
        Change("mend", original.seq, ref, size, size, reason) for reason in dict.fromkeys(why)
    ]


def _admit_answer(out: list[Message], message: Message, names: Mapping[str, str]) -> list[str]:
    """Put a user, tool or system message into ``out``."""
    why: list[str] = []
    at, waiting = open_calls(out)
    taken: list[Block] = []
    others: list[Block] = []
    orphans: list[Block] = []
    for block in message.blocks:
        if block.kind != "tool_result":
            others.append(block)
            continue
        match = next((c for c in waiting.values() if block.id in (c.id, c.alias)), None)
        if match is None:
            orphans.append(block)
            continue
        del waiting[match.id]
        taken.append(block if block.id == match.id else block.edited(id=match.id))
    if orphans:
        why.append("orphan_result")
    others = [_as_text(block, names) for block in orphans] + others
    if not taken:
        loose = replace(message, role="user" if orphans else message.role)
        loose = loose.with_blocks(tuple(others))
        if waiting and (orphans or message.role == "system"):
            # Nothing may stand between a call and its results: it goes in front of the open turn.
            out.insert(at, loose)
            return [*why, "order"]
        why += _close(out)
        out.append(loose)
        return why
    if others and waiting:
        taken += [Block("tool_result", id=call_id, text=NO_RESULT) for call_id in waiting]
        why.append("open_call")
    blocks = tuple(taken + others)
    if [id(b) for b in blocks] != [id(b) for b in message.blocks] and not why:
        why.append("order_or_id")
    out.append(
        message.with_blocks(blocks)
        if not others
        else replace(message.with_blocks(blocks), role="user")
    )
    return why


def _close(out: list[Message]) -> list[str]:
    """Answer calls that will never get their result."""
    _, waiting = open_calls(out)
    if not waiting:
        return []
    out.append(Message("user", tuple(Block("tool_result", id=i, text=NO_RESULT) for i in waiting)))
    return ["open_call"]


def _as_text(block: Block, names: Mapping[str, str]) -> Block:
    tool = names.get(block.id, "")
    said = block.text
    if block.parts is not None:
        said = "\n".join(part.text for part in block.parts if part.text)
    label = f"[result of tool {tool or 'unknown'}, call {block.id or 'without id'}]"
    return Block("text", text=f"{label}\n{said}")


def _unique_ids(message: Message, used: set[str]) -> tuple[Message, bool]:
    blocks = []
    for block in message.blocks:
        if block.kind == "tool_use":
            wanted = block.id or f"call_m{max(message.seq, 0)}"
            if message.format == anthropic.NAME:
                wanted = anthropic.safe_id(wanted)
            fresh, n = wanted, 2
            while fresh in used:
                fresh, n = f"{wanted}_{n}", n + 1
            used.add(fresh)
            if fresh != block.id:
                block = block.edited(id=fresh, alias=block.id)
        blocks.append(block)
    made = message.with_blocks(tuple(blocks))
    return made, made is not message


def _clean(message: Message) -> tuple[Message, list[str]]:
    """Encodable text, no empty blocks, no empty message."""
    why: list[str] = []
    if _LONE.search(serialise(message.raw)):
        why.append("lone_surrogate")
        message = replace(message, raw=_scrub(message.raw))
        message = message.with_blocks(tuple(_encodable(block) for block in message.blocks))
    full = tuple(b for b in message.blocks if b.kind != "text" or b.text.strip())
    if not full:
        full = (Block("text", text="[empty]"),)
    if len(full) != len(message.blocks) or full[0] is not message.blocks[0]:
        why.append("empty")
        message = message.with_blocks(full)
    return message, why


def _encodable(block: Block) -> Block:
    parts = block.parts
    return block.edited(
        text=_LONE.sub("\ufffd", block.text),
        input=_scrub(block.input),
        parts=None if parts is None else tuple(_encodable(part) for part in parts),
        raw=_scrub(block.raw),
    )


def _scrub(value: Json) -> Json:
    if isinstance(value, str):
        return _LONE.sub("\ufffd", value)
    if isinstance(value, list):
        return [_scrub(item) for item in value]
    if isinstance(value, dict):
        return {_scrub(key): _scrub(item) for key, item in value.items()}
    return value
