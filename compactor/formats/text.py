"""A text protocol: calls, results and thinking as tags inside plain strings.

``<thinking>``, and ``<tool_use>`` with a JSON object of ``name``, ``input`` and optionally ``id``, stand
in what the assistant says; ``<tool_result>`` starts a user message. Every other text is text.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from html import escape, unescape

from compactor.cost import serialise
from compactor.errors import InvalidRequest
from compactor.formats.lost import Lost, checked_object, not_carried
from compactor.messages import Block, Json, JsonObject, Message, Role
from compactor.tags import Tag, find_tags

NAME = "text"
_ROLES: dict[str, Role] = {"system": "system", "user": "user", "assistant": "assistant"}
_INPUTS = ("input", "arguments", "parameters")


def read(messages: Sequence[Json]) -> list[Message]:
    """Canonical messages; each block keeps its slice of the text."""
    return [_read_message(checked_object(raw, i), i) for i, raw in enumerate(messages)]


def _read_message(raw: JsonObject, index: int) -> Message:
    role, content = _ROLES.get(raw["role"]), raw.get("content")
    if role is None or not isinstance(content, str):
        raise InvalidRequest(
            f"Message {index}: role must be one of {', '.join(_ROLES)} and content a string.",
            field=f"messages.{index}",
        )
    names: tuple[str, ...] = ()
    if role == "assistant":
        names = ("thinking", "tool_use")
    elif role == "user" and content.lstrip().startswith("<tool_result"):
        names = ("tool_result",)
    return Message(role, _blocks(content, find_tags(content, names)), raw=raw, format=NAME)


def _blocks(content: str, tags: Sequence[Tag]) -> tuple[Block, ...]:
    blocks: list[Block] = []
    at = 0
    for tag in tags:
        blocks += _plain(content[at : tag.start])
        blocks.append(_read_tag(content, tag))
        at = tag.end
    blocks += _plain(content[at:])
    return tuple(blocks)


def _plain(text: str) -> list[Block]:
    return [Block("text", text=text, raw=text, format=NAME)] if text.strip() else []


def _read_tag(content: str, tag: Tag) -> Block:
    raw, inner = content[tag.start : tag.end], content[tag.inner : tag.close]
    if tag.name == "thinking":
        return Block("thinking", text=inner, raw=raw, format=NAME)
    call_id = unescape(tag.attributes.get("id", ""))
    if tag.name == "tool_result":
        return Block("tool_result", id=call_id, text=inner, raw=raw, format=NAME)
    try:
        given = json.loads(inner)
    except (ValueError, RecursionError):
        given = None
    if not isinstance(given, dict):
        return Block(
            "tool_use", id=call_id, name="unknown", input=inner, input_is_text=True, raw=raw,
            format=NAME,
        )  # fmt: skip
    values = [given[key] for key in _INPUTS if key in given]
    return Block(
        "tool_use",
        id=str(given.get("id", call_id)),
        name=str(given.get("name", "unknown")),
        input=values[0] if values else {},
        raw=raw,
        format=NAME,
    )


def write(messages: Sequence[Message]) -> tuple[list[Json], list[Lost]]:
    """Plain strings; results become a user message of their own."""
    out: list[Json] = []
    lost: list[Lost] = []
    for index, message in enumerate(messages):
        if message.format == NAME and not message.dirty:
            out.append(message.raw)
            continue
        base: JsonObject = dict(message.raw) if message.format == NAME else {}
        role = "user" if message.role == "tool" else message.role
        # Results stand first: by that the message is known as one of results.
        blocks = sorted(message.blocks, key=lambda block: block.kind != "tool_result")
        parts = [(block.format == NAME, _write(block, index, lost)) for block in blocks]
        out.append({**base, "role": role, "content": _joined(parts) or "[empty]"})
    return out, lost


def _joined(parts: Sequence[tuple[bool, str]]) -> str:
    """Slices of one text as they stood; what came from elsewhere on lines of its own."""
    made = ""
    before = True
    for own, part in parts:
        if part:
            made += ("\n" if made and not (own and before) else "") + part
            before = own
    return made


def _write(block: Block, index: int, lost: list[Lost]) -> str:
    if block.format == NAME and not block.dirty and isinstance(block.raw, str):
        return block.raw
    if block.kind == "text":
        return block.text
    if block.kind == "thinking":
        return f"<thinking>{_inside(block.text, 'thinking')}</thinking>" if block.text else ""
    if block.kind == "tool_use":
        call = {"id": block.id, "name": block.name, "input": block.input}
        return f"<tool_use>{_inside(serialise(call), 'tool_use')}</tool_use>"
    if block.kind == "tool_result":
        said = block.text
        if block.parts is not None:
            said = "\n".join(_write(part, index, lost) for part in block.parts)
        inner = _inside(said, "tool_result")
        return f'<tool_result id="{escape(block.id)}">{inner}</tool_result>'
    return not_carried(block, index, lost)


def _inside(text: str, name: str) -> str:
    """Text that cannot end its element, nor open another of its name."""
    return text.replace(f"</{name}", f"<\\/{name}").replace(f"<{name}", f"<\\{name}")
