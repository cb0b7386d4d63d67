"""Results that were used give way to one line each: a strategy that needs no model."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from compactor.archive import Archive
from compactor.cost import cost
from compactor.messages import CLEARED, Block, Message
from compactor.report import Change


def clear(
    history: Sequence[Message], *, keep: int, exclude: Collection[str], archive: Archive
) -> tuple[list[Message], list[Change]]:
    """Replace consumed results by a line with a ref; originals are archived first. Linear.

    A result is consumed once the assistant has spoken after it. The newest ``keep`` results, pinned
    messages and results of the tools in ``exclude`` stay, and so does what the line would not shorten.
    A second pass changes nothing.
    """
    tools = {call.id: call.name for message in history for call in message.calls}
    spoken = max((i for i, m in enumerate(history) if m.role == "assistant"), default=-1)
    places = [(i, b) for i, m in enumerate(history) for b in m.results]
    kept = {id(block) for _, block in places[max(0, len(places) - keep) :]}
    out, changes = list(history), []
    for index in dict.fromkeys(i for i, _ in places if i < spoken and not history[i].pinned):
        message = history[index]
        blocks = []
        for block in message.blocks:
            if block.kind == "tool_result" and id(block) not in kept:
                tool = tools.get(block.id, "")
                made = block if tool in exclude else _cleared(block, tool, archive)
                if made is not block:
                    before, after = _size(block), _size(made)
                    changes.append(
                        Change("clear", message.seq, made.origin, before, after, "consumed")
                    )
                block = made
            blocks.append(block)
        out[index] = message.with_blocks(tuple(blocks))
    return out, changes


def _cleared(block: Block, tool: str, archive: Archive) -> Block:
    if block.name == CLEARED:
        return block
    whole = block.text if block.parts is None else block.raw
    ref = block.origin or archive.put(whole)
    line = f"[result of {tool or 'a tool'} cleared, {_size(block):,} characters, ref={ref}]"
    made = block.edited(text=line, parts=None, name=CLEARED, origin=ref)
    return made if cost(line) < _size(block) else block


def _size(block: Block) -> int:
    if block.parts is None:
        return cost(block.text)
    return sum(cost(part.raw) if part.kind == "opaque" else cost(part.text) for part in block.parts)
