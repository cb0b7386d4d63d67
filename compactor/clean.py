"""What every provider asks of a single message: text that can be encoded, and something in it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import regex

from compactor.archive import Archive
from compactor.cost import serialise
from compactor.messages import Block, Json, Message
from compactor.report import Change

_LONE = regex.compile("[\ud800-\udfff]")


def clean(message: Message, archive: Archive) -> tuple[Message, list[Change]]:
    """The message with encodable text, without empty blocks and not empty; the original archived."""
    original, why = message, list[str]()
    if has_lone_surrogate(message.raw):
        why.append("lone_surrogate")
        message = replace(message, raw=_scrub(message.raw))
        message = message.with_blocks(tuple(_encodable(block) for block in message.blocks))
    full = tuple(b for b in message.blocks if b.kind != "text" or b.text.strip())
    if not full:
        full = (Block("text", text="[empty]"),)
    if len(full) != len(message.blocks) or full[0] is not message.blocks[0]:
        why.append("empty")
        message = message.with_blocks(full)
    return message, mended(original, why, archive)


def mended(original: Message, why: Iterable[str], archive: Archive) -> list[Change]:
    """A change for each reason why a message did not enter as it came; it is archived."""
    reasons = tuple(dict.fromkeys(why))
    if not reasons:
        return []
    ref = archive.put(original.raw)
    size = len(serialise(original.raw))
    return [Change("mend", original.seq, ref, size, size, reason) for reason in reasons]


def has_lone_surrogate(value: Json) -> bool:
    """Whether a JSON value holds what no encoding can write. Linear."""
    left = [value]
    while left:
        item = left.pop()
        if isinstance(item, str):
            if not item.isascii() and _LONE.search(item):
                return True
        elif isinstance(item, dict):
            left += item
            left += item.values()
        elif isinstance(item, list):
            left += item
    return False


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
