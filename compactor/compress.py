"""Stage 2: in older messages tags become placeholders and long blocks keep head and tail.

User text is never touched: what an assistant said, what tools were given and what they answered is known
by role, and the compactor's own notes by their block, not by how they look.
"""

from __future__ import annotations

from dataclasses import dataclass

from compactor.archive import Archive
from compactor.cost import cost
from compactor.cut import head_tail
from compactor.htmlkind import looks_like_html, stand_in
from compactor.messages import ANCHOR, MARKS, Block, Message
from compactor.report import Change
from compactor.seen import Seen
from compactor.shorten import shorten_call
from compactor.tags import find_tags

PLACEHOLDER = "[...]"
_STALE = ("history", "key_info", "trace")
_LONG = ("thinking", "tool_use")


@dataclass(slots=True)
class _Work:
    limit: int
    archive: Archive
    seq: int
    changes: list[Change]

    def note(self, ref: str, before: int, after: int, why: str) -> None:
        self.changes.append(Change("compress", self.seq, ref, before, after, why))


def compress(
    history: list[Message],
    *,
    exempt: int,
    limit: int,
    archive: Archive,
    settled: Seen | None = None,
) -> tuple[list[Message], list[Change]]:
    """Compress all but the newest ``exempt`` messages; originals are archived first.

    A block or tag longer than ``limit`` characters keeps a window of that length. Pinned and system
    messages stay. A second pass changes nothing, and with the same ``settled`` looks at nothing again.
    Linear.
    """
    settled = Seen() if settled is None else settled
    out = list(history)
    changes: list[Change] = []
    for index in range(max(0, len(out) - exempt)):
        message = out[index]
        if message in settled:
            continue
        if not message.pinned and message.role != "system":
            work = _Work(limit, archive, message.seq, changes)
            out[index] = message.with_blocks(
                tuple(_block(block, message, work) for block in message.blocks)
            )
        settled.add(out[index])
    return out, changes


def _block(block: Block, message: Message, work: _Work) -> Block:
    if block.name == ANCHOR and block.kind == "text":
        return block if block.text == PLACEHOLDER else block.edited(text=PLACEHOLDER)
    if block.kind == "tool_result":
        return _result(block, work)
    if message.role != "assistant" or block.signed:
        return block
    if block.kind == "tool_use":
        return _call(block, work)
    if block.kind == "thinking":
        return _window(block, work, "thinking")
    return _said(block, work) if block.kind == "text" else block


def _result(block: Block, work: _Work) -> Block:
    if block.parts is None:
        return _window(block, work, "tool_result")
    parts = tuple(
        _window(part, work, "tool_result") if part.kind == "text" else part for part in block.parts
    )
    same = all(new is old for new, old in zip(parts, block.parts, strict=True))
    return block if same else block.edited(parts=parts)


def _call(block: Block, work: _Work) -> Block:
    if cost(block.input) <= work.limit:
        return block
    made, ref = shorten_call(block, work.limit, work.archive)
    if made is not block:
        work.note(ref, cost(block.input), cost(made.input), "tool_use")
    return made


def _window(block: Block, work: _Work, why: str) -> Block:
    if len(block.text) <= work.limit or block.name in MARKS:
        return block
    original = block.text
    ref = block.origin
    if ref:
        archived = work.archive.get(ref)
        original = archived if isinstance(archived, str) else original
    else:
        ref = work.archive.put(original)
    is_html = looks_like_html(original)
    made = stand_in(original, ref) if is_html else head_tail(original, work.limit, ref)
    if cost(made) >= cost(block.text):
        return block
    work.note(ref, len(block.text), len(made), why)
    return block.edited(text=made, origin=ref)


def _said(block: Block, work: _Work) -> Block:
    """What the assistant wrote: its stale snapshots go, long tags in it are windowed."""
    text = block.text
    tags = find_tags(text, (*_STALE, *_LONG))
    pieces: list[str] = []
    at, ref = 0, ""
    for tag in tags:
        inner = text[tag.inner : tag.close]
        if tag.name in _STALE and inner.strip() != PLACEHOLDER:
            made = PLACEHOLDER
        elif tag.name in _LONG and len(inner) > work.limit:
            ref = ref or work.archive.put(text)
            made = head_tail(inner, work.limit, ref)
        else:
            continue
        if len(made) >= len(inner):
            continue
        pieces += [text[at : tag.inner], made]
        at = tag.close
    if not pieces:
        return block
    ref = ref or work.archive.put(text)
    made = "".join(pieces) + text[at:]
    work.note(ref, len(text), len(made), "tags")
    return block.edited(text=made)
