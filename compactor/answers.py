"""Put results behind their calls, and everything else where it does not part them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from compactor.formats import text as text_protocol
from compactor.messages import Block, Message
from compactor.turn import OpenTurn

NO_RESULT = "[no result: the next message came first]"


def admit_answer(
    out: list[Message], message: Message, names: Mapping[str, str], turn: OpenTurn
) -> list[str]:
    """Put a user, tool or system message into ``out``; why it had to be changed, if so.

    ``names`` maps ids of calls that have left the history to their tools.
    """
    taken, others, orphans = _sorted(message, turn)
    why: list[str] = []
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
        if turn.waiting and (orphans or message.role == "system"):
            # Nothing may stand between a call and its results: it goes in front of the open turn.
            out.insert(len(out) - turn.behind, loose)
            return [*why, "order"]
        why += close(out, turn)
        out.append(loose)
        return why
    if others and turn.waiting:
        taken += [Block("tool_result", id=call_id, text=NO_RESULT) for call_id in turn.close()]
        why.append("open_call")
    blocks = tuple(taken + others)
    if not _same(blocks, message.blocks):
        why += [] if why else ["order_or_id"]
        message = message.with_blocks(blocks)
    else:
        message = replace(message, blocks=blocks)
    out.append(message if not others else replace(message, role="user"))
    turn.passed()
    return why


def close(out: list[Message], turn: OpenTurn) -> list[str]:
    """Answer calls that will never get their result."""
    waiting = turn.close()
    if not waiting:
        return []
    out.append(Message("user", tuple(Block("tool_result", id=i, text=NO_RESULT) for i in waiting)))
    return ["open_call"]


def _sorted(message: Message, turn: OpenTurn) -> tuple[list[Block], list[Block], list[Block]]:
    """Results that answer an open call, blocks that are none, and results that answer nothing."""
    taken: list[Block] = []
    others: list[Block] = []
    orphans: list[Block] = []
    for block in message.blocks:
        if block.kind != "tool_result":
            others.append(block)
            continue
        call = turn.take(block.id)
        if call is None and block.format == text_protocol.NAME:
            call = turn.take_next()
        if call is None:
            orphans.append(block)
        else:
            taken.append(_answering(block, call))
    return taken, others, orphans


def _answering(result: Block, call: Block) -> Block:
    if result.id == call.id:
        return result
    if result.format == text_protocol.NAME:
        return replace(result, id=call.id)  # the protocol pairs by order; nothing was changed
    return result.edited(id=call.id)


def _same(made: Sequence[Block], given: Sequence[Block]) -> bool:
    """Whether the blocks are those that came, in their order, with their own raw forms."""
    return len(made) == len(given) and all(
        new is old or (new.raw is old.raw and not new.dirty)
        for new, old in zip(made, given, strict=True)
    )


def _as_text(block: Block, names: Mapping[str, str]) -> Block:
    tool = names.get(block.id, "")
    said = block.text
    if block.parts is not None:
        said = "\n".join(part.text for part in block.parts if part.text)
    label = f"[result of tool {tool or 'unknown'}, call {block.id or 'without id'}]"
    return Block("text", text=f"{label}\n{said}")
