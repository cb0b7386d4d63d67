"""What every provider asks of a single message: text that can be encoded, and something in it."""

from __future__ import annotations

from dataclasses import replace

import regex

from compactor.cost import serialise
from compactor.messages import Block, Json, Message

_LONE = regex.compile("[\ud800-\udfff]")


def clean(message: Message) -> tuple[Message, list[str]]:
    """The message with encodable text, without empty blocks and not empty; and what was changed."""
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
