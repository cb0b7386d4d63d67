"""What a history says twice: results that came again, unchanged."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import is_

from compactor.archive import Archive
from compactor.cost import cost
from compactor.messages import Block, Message
from compactor.report import Change

#: Shorter texts are not worth a ref.
LEAST_CHARS = 200


class Repeats:
    """Characters of results that a later result repeats; derived from a history, and only saves work."""

    def __init__(self) -> None:
        self._history: tuple[Message, ...] = ()
        self._times: dict[str, int] = {}
        self._chars = 0

    def total(self, history: Sequence[Message]) -> int:
        """Of a history. One that starts with the one before it only costs what is new in it."""
        start = len(self._history)
        if len(history) < start or not all(map(is_, self._history, history)):
            start, self._times, self._chars = 0, {}, 0
        for message in history[start:]:
            for text in _texts(message):
                times = self._times.get(text, 0)
                self._times[text] = times + 1
                self._chars += len(text) if times else 0
        self._history = tuple(history)
        return self._chars


def fold_repeats(
    history: Sequence[Message], archive: Archive
) -> tuple[list[Message], list[Change]]:
    """Earlier results that a later one repeats give way to one line with a ref each. Linear.

    The newest copy stays whole, pinned messages stay, and what a line would not shorten stays. A second
    pass changes nothing.
    """
    seen: set[str] = set()
    out, changes = list(history), list[Change]()
    for index in range(len(out) - 1, -1, -1):
        message = out[index]
        if message.pinned:
            seen.update(_texts(message))
            continue
        blocks: list[Block] = []
        for block in reversed(message.blocks):
            made = _folded(block, message.seq, (seen, archive, changes))
            blocks.insert(0, made)
        out[index] = message.with_blocks(tuple(blocks))
    return out, changes[::-1]


_Work = tuple[set[str], Archive, list[Change]]


def _folded(block: Block, seq: int, work: _Work) -> Block:
    if block.kind != "tool_result":
        return block
    if block.parts is None:
        return _line(block, seq, work)
    parts = tuple(
        _line(part, seq, work) if part.kind == "text" else part for part in reversed(block.parts)
    )[::-1]
    same = all(new is old for new, old in zip(parts, block.parts, strict=True))
    return block if same else block.edited(parts=parts)


def _line(block: Block, seq: int, work: _Work) -> Block:
    seen, archive, changes = work
    text = block.text
    if len(text) < LEAST_CHARS:
        return block
    if text not in seen:
        seen.add(text)
        return block
    ref = block.origin or archive.put(text)
    made = f"[the same as a later result, {len(text):,} characters, ref={ref}]"
    changes.append(Change("compress", seq, ref, cost(text), cost(made), "repeated"))
    return block.edited(text=made, origin=ref)


def _texts(message: Message) -> Iterator[str]:
    for result in message.results:
        texts = [result.text] if result.parts is None else [p.text for p in result.parts]
        yield from (text for text in texts if len(text) >= LEAST_CHARS)
