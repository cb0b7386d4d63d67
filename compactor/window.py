"""The last resort before a refusal: the largest blocks keep only a window of themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from heapq import heapify, heappop, heappush

from compactor.archive import Archive
from compactor.cost import cost
from compactor.cut import MARKER_FLOOR, head_tail
from compactor.htmlkind import looks_like_html, stand_in
from compactor.messages import Block, Message
from compactor.report import Change
from compactor.shorten import shorten_call

_SLACK = 64


@dataclass(frozen=True, slots=True)
class _Place:
    message: int
    block: int
    part: int
    size: int


def window(
    history: list[Message], budget: int, archive: Archive, measure: Callable[[list[Message]], int]
) -> tuple[list[Message], list[Change]]:
    """Shorten the largest blocks, one after another, until ``measure`` says at most ``budget``.

    Pinned and system messages are left alone; signed thinking goes whole. The result may still be
    over: the caller decides what then. Each block is visited a bounded number of times.
    """
    out = list(history)
    changes: list[Change] = []
    settled: set[tuple[int, int, int]] = set()
    excess = measure(out) - budget
    queue = _queue(out, settled)
    while excess > 0 and queue:
        size, message, block, part = heappop(queue)
        place = _Place(message, block, part, -size)
        # Not below the next one's size by much: several large blocks share the loss.
        limit = max(MARKER_FLOOR, min(place.size - excess - _SLACK, place.size * 3 // 4))
        made, change = _shrink(out, place, limit, archive)
        if made is None and limit > MARKER_FLOOR:
            limit = MARKER_FLOOR
            made, change = _shrink(out, place, limit, archive)
        if made is None or limit == MARKER_FLOOR:
            settled.add((place.message, place.block, place.part))
        if made is not None and change is not None:
            moved = len(made.blocks) != len(out[place.message].blocks)
            out[place.message] = made
            changes.append(change)
            if moved:
                # A block went: the places behind it have moved.
                settled = {known for known in settled if known[0] != place.message}
                queue = _queue(out, settled)
            elif limit > MARKER_FLOOR:
                heappush(queue, (-change.after, place.message, place.block, place.part))
            # Measured again only when the blocks' own sizes say that it may be enough.
            excess -= place.size - change.after
        if excess <= 0 or not queue:
            excess = measure(out) - budget
    return out, changes


_Queue = list[tuple[int, int, int, int]]


def _queue(history: list[Message], settled: set[tuple[int, int, int]]) -> _Queue:
    """Places by size, the largest first; what cannot become shorter is left out."""
    queue = [
        (-p.size, p.message, p.block, p.part)
        for p in _places(history)
        if p.size > MARKER_FLOOR and (p.message, p.block, p.part) not in settled
    ]
    heapify(queue)
    return queue


def _places(history: list[Message]) -> Iterator[_Place]:
    for m, message in enumerate(history):
        if message.pinned or message.role == "system":
            continue
        for b, block in enumerate(message.blocks):
            if block.parts is not None:
                for p, part in enumerate(block.parts):
                    yield _Place(m, b, p, _size(part))
            else:
                yield _Place(m, b, -1, _size(block))


def _size(block: Block) -> int:
    if block.kind == "tool_use":
        return cost(block.input)
    if block.kind == "opaque":
        return cost(block.raw)
    if block.kind == "thinking" and block.signed:
        return cost(block.raw)
    return cost(block.text)


def _shrink(
    history: list[Message], place: _Place, limit: int, archive: Archive
) -> tuple[Message | None, Change | None]:
    message = history[place.message]
    outer = message.blocks[place.block]
    inner = outer if place.part < 0 or outer.parts is None else outer.parts[place.part]
    shrunk, ref = _shrink_block(inner, limit, archive)
    if shrunk is inner:
        return None, None
    change = Change(
        "window", message.seq, ref, place.size, _size(shrunk) if shrunk else 0, "budget"
    )
    blocks = list(message.blocks)
    if shrunk is None:
        del blocks[place.block]
        if not blocks:
            blocks = [Block("text", text=f"[thinking taken out, ref={ref}]")]
    elif inner is outer:
        blocks[place.block] = shrunk
    else:
        parts = list(outer.parts or ())
        parts[place.part] = shrunk
        blocks[place.block] = outer.edited(parts=tuple(parts))
    return message.with_blocks(tuple(blocks)), change


def _shrink_block(block: Block, limit: int, archive: Archive) -> tuple[Block | None, str]:
    """A smaller block and its original's ref; the same if it cannot shrink; ``None`` if it goes."""
    if block.kind == "thinking" and block.signed:
        return None, archive.put(block.raw)
    if block.kind == "opaque":
        if block.id:
            # Half of a server tool's pair: it goes with its turn or stays.
            return block, ""
        ref = archive.put(block.raw)
        made = Block("text", text=f"[{block.name or 'block'} taken out, ref={ref}]", origin=ref)
        return (made, ref) if cost(made.text) < cost(block.raw) else (block, "")
    if block.kind == "tool_use":
        return shorten_call(block, limit, archive)
    if cost(block.text) <= limit:
        return block, ""
    ref = block.origin or archive.put(block.text)
    original = archive.get(ref) if block.origin else block.text
    if not isinstance(original, str):
        original = block.text
    made_text = _cut_to_cost(original, limit, ref)
    if cost(made_text) >= cost(block.text):
        return block, ""
    return block.edited(text=made_text, origin=ref), ref


def _cut_to_cost(text: str, limit: int, ref: str) -> str:
    """Escapes cost more than one character, so the length is lowered until the cost fits."""
    if looks_like_html(text):
        return stand_in(text, ref)
    length = limit - 2
    made = head_tail(text, max(MARKER_FLOOR, length), ref)
    while cost(made) > limit and length > MARKER_FLOOR:
        length = max(MARKER_FLOOR, length * 3 // 4)
        made = head_tail(text, length, ref)
    return made
