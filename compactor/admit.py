"""Let one message into a history so that the history stays valid for every provider.

Calls and results pair up, results stand right after their calls, ids are unique, nothing is empty,
text is encodable. What had to be changed is archived as it came.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace

from compactor.archive import Archive
from compactor.clean import clean
from compactor.cost import serialise
from compactor.formats import anthropic, openai_responses
from compactor.formats import text as text_protocol
from compactor.messages import Block, Message, joined, text_message
from compactor.report import Change

NO_RESULT = "[no result: the next message came first]"
OPENING = "[the session starts with the assistant]"


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
    message, why = clean(message)
    out, trimmed = _without_lone_thought(history, message, archive)
    out, mended = _admit(out, message, original, why, archive, names)
    return out, [*trimmed, *mended]


def _admit(
    out: list[Message],
    message: Message,
    original: Message,
    why: list[str],
    archive: Archive,
    names: Mapping[str, str],
) -> tuple[list[Message], list[Change]]:
    if message.role == "assistant":
        message, renamed = _unique_ids(message, _used_ids(out))
        why += ["id"] if renamed else []
        message, freed = _without_lost_owner(out, message)
        why += ["item_id"] if freed else []
        if _continues(out, message):
            out[-1] = joined(out[-1], message)
            return _archived(out, original, why, archive)
        why += _close(out)
        if not out or all(old.role == "system" for old in out):
            out.append(text_message("user", OPENING))
            why.append("first_role")
        out.append(message)
    else:
        why += _admit_answer(out, message, names)
    return _archived(out, original, why, archive)


def _without_lone_thought(
    history: Sequence[Message], message: Message, archive: Archive
) -> tuple[list[Message], list[Change]]:
    """Reasoning items that nothing of their turn followed are not accepted: they go."""
    out = list(history)
    if not out or out[-1].format != openai_responses.NAME or _continues(out, message):
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


def _archived(
    out: list[Message], original: Message, why: list[str], archive: Archive
) -> tuple[list[Message], list[Change]]:
    if not why:
        return out, []
    ref = archive.put(original.raw)
    size = len(serialise(original.raw))
    return out, [
        Change("mend", original.seq, ref, size, size, reason) for reason in dict.fromkeys(why)
    ]


def _continues(out: Sequence[Message], message: Message) -> bool:
    """Whether an item goes on with the assistant's turn before it."""
    before = out[-1] if out else None
    return (
        message.role == "assistant"
        and message.format == openai_responses.NAME
        and before is not None
        and before.role == "assistant"
        and before.format == openai_responses.NAME
        and before.pinned == message.pinned
    )


def _without_lost_owner(out: Sequence[Message], message: Message) -> tuple[Message, bool]:
    """An item keeps its id only behind the reasoning item that it was made with."""
    raw = message.raw if isinstance(message.raw, dict) else {}
    if message.format != openai_responses.NAME or "id" not in raw:
        return message, False
    if openai_responses.kind_of(raw) not in openai_responses.OWNED:
        return message, False
    if _continues(out, message) and any(b.kind == "thinking" for b in out[-1].blocks):
        return message, False
    bare = {key: value for key, value in raw.items() if key != "id"}
    blocks = tuple(
        replace(block, raw=bare) if block.raw is raw else block for block in message.blocks
    )
    return replace(message, raw=bare, blocks=blocks), True


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
        match = _call_of(block, waiting)
        if match is None:
            orphans.append(block)
            continue
        del waiting[match.id]
        taken.append(_answering(block, match))
    if orphans and message.format == text_protocol.NAME:
        # Plain text that only looked like a result: it stays what it was.
        others = [replace(block, kind="text", text=block.raw) for block in orphans] + others
        orphans = []
    elif orphans:
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
    if not _same(blocks, message.blocks):
        why += [] if why else ["order_or_id"]
        message = message.with_blocks(blocks)
    else:
        message = replace(message, blocks=blocks)
    out.append(message if not others else replace(message, role="user"))
    return why


def _same(made: Sequence[Block], given: Sequence[Block]) -> bool:
    """Whether the blocks are those that came, in their order, with their own raw forms."""
    return len(made) == len(given) and all(
        new is old or (new.raw is old.raw and not new.dirty)
        for new, old in zip(made, given, strict=True)
    )


def _call_of(result: Block, waiting: Mapping[str, Block]) -> Block | None:
    """The open call that a result answers; in the text protocol the next in line where ids differ."""
    found = next((c for c in waiting.values() if result.id in (c.id, c.alias)), None)
    if found is None and result.format == text_protocol.NAME:
        return next(iter(waiting.values()), None)
    return found


def _answering(result: Block, call: Block) -> Block:
    if result.id == call.id:
        return result
    if result.format == text_protocol.NAME:
        return replace(result, id=call.id)  # the protocol pairs by order; nothing was changed
    return result.edited(id=call.id)


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


def _given_id(call: Block, message: Message) -> str:
    """An id for a call that has none: of the text protocol by what it says, so that it stays the same
    when earlier messages go."""
    if message.format == text_protocol.NAME:
        return "call_" + hashlib.sha256(serialise(call.raw).encode()).hexdigest()[:8]
    return f"call_m{max(message.seq, 0)}"


def _used_ids(history: Sequence[Message]) -> set[str]:
    return {
        block.id
        for message in history
        if message.role == "assistant"
        for block in message.blocks
        if block.kind == "tool_use"
    }


def _unique_ids(message: Message, used: set[str]) -> tuple[Message, bool]:
    blocks = []
    for block in message.blocks:
        if block.kind == "tool_use":
            wanted = block.id or _given_id(block, message)
            if message.format == anthropic.NAME:
                wanted = anthropic.safe_id(wanted)
            fresh, n = wanted, 2
            while fresh in used:
                fresh, n = f"{wanted}_{n}", n + 1
            used.add(fresh)
            if not block.id and message.format == text_protocol.NAME:
                block = replace(block, id=fresh)  # known by order in the protocol itself
            elif fresh != block.id:
                block = block.edited(id=fresh, alias=block.id)
        blocks.append(block)
    if any(block.dirty for block in blocks):
        made = message.with_blocks(tuple(blocks))
        return made, made is not message
    return replace(message, blocks=tuple(blocks)), False
