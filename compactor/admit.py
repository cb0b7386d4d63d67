"""Let one message into a history so that the history stays valid for every provider.

Calls and results pair up, results stand right after their calls, ids are unique. What had to be changed
is archived as it came.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace

from compactor.answers import admit_answer, close
from compactor.books import Books
from compactor.clean import mended
from compactor.cost import serialise
from compactor.formats import anthropic
from compactor.formats import text as text_protocol
from compactor.items import continues, without_lone_thought, without_lost_owner
from compactor.kit import Kit
from compactor.messages import OPENING, Block, Message, joined, text_message
from compactor.report import Change


def admit(
    history: Sequence[Message], message: Message, books: Books, kit: Kit
) -> tuple[list[Message], list[Change]]:
    """The history with the message in it, and what had to be mended. ``kit.turn`` follows.

    Linear in the message; of the history only its end is looked at.
    """
    out, trimmed = without_lone_thought(history, message, kit.archive)
    if message.role == "assistant":
        why = _admit_assistant(out, message, books, kit)
    else:
        why = admit_answer(out, message, books.names, kit.turn)
    return out, [*trimmed, *mended(message, why, kit.archive)]


def _admit_assistant(out: list[Message], message: Message, books: Books, kit: Kit) -> list[str]:
    """Put an assistant's message into ``out``; why it had to be changed, if so."""
    why: list[str] = []
    message, renamed = _unique_ids(message, books)
    why += ["id"] if renamed else []
    message, freed = without_lost_owner(out, message)
    why += ["item_id"] if freed else []
    if continues(out, message):
        first = out[-1]
        out[-1] = joined(first, message)
        for meter in (kit.meter, kit.tokens):
            meter.joined(out[-1], first, message)
        kit.turn.extend(message.calls)
        return why
    why += close(out, kit.turn)
    if not out or all(old.role == "system" for old in out):
        out.append(text_message("user", OPENING))
        why.append("first_role")
    out.append(message)
    kit.turn.start(message.calls)
    return why


def _unique_ids(message: Message, books: Books) -> tuple[Message, bool]:
    """The message with an id of its own for each call, and whether one had to be changed."""
    blocks = []
    for block in message.blocks:
        if block.kind == "tool_use":
            wanted = block.id or _given_id(block, message)
            if message.format == anthropic.NAME:
                wanted = anthropic.safe_id(wanted)
            fresh = books.unique_id(wanted)
            if not block.id and message.format == text_protocol.NAME:
                block = replace(block, id=fresh)  # known by order in the protocol itself
            elif fresh != block.id:
                block = block.edited(id=fresh, alias=block.id)
        blocks.append(block)
    if any(block.dirty for block in blocks):
        made = message.with_blocks(tuple(blocks))
        return made, made is not message
    return replace(message, blocks=tuple(blocks)), False


def _given_id(call: Block, message: Message) -> str:
    """An id for a call that has none: of the text protocol by what it says, so that it stays the same
    when earlier messages go."""
    if message.format == text_protocol.NAME:
        return "call_" + hashlib.sha256(serialise(call.raw).encode()).hexdigest()[:8]
    return f"call_m{max(message.seq, 0)}"
