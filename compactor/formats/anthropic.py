"""Anthropic Messages API: content blocks, signed thinking, results in user messages."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence

import regex

from compactor.errors import InvalidRequest
from compactor.formats.lost import Lost, checked_object, not_carried
from compactor.formats.own import own_form, role_of
from compactor.formats.picture import source_of, url_of
from compactor.messages import Block, Json, JsonObject, Message, Role

NAME = "anthropic"
_ROLES: dict[str, Role] = {"user": "user", "assistant": "assistant", "system": "system"}
_BAD_ID = regex.compile(r"[^a-zA-Z0-9_-]")


def read(messages: Sequence[Json]) -> list[Message]:
    """Canonical messages; each block keeps its raw form."""
    return [_read_message(checked_object(raw, i), i) for i, raw in enumerate(messages)]


def _read_message(raw: JsonObject, index: int) -> Message:
    role = role_of(raw, _ROLES, index)
    content = raw.get("content")
    if isinstance(content, str):
        blocks: tuple[Block, ...] = (Block("text", text=content, raw=content, format=NAME),)
    elif isinstance(content, list):
        blocks = tuple(_read_block(item, index) for item in content)
    else:
        raise InvalidRequest(
            f"Message {index}: content must be a string or a list of blocks.",
            field=f"messages.{index}.content",
        )
    return Message(role, blocks, raw=raw, format=NAME)


def _read_block(raw: Json, index: int) -> Block:
    if not isinstance(raw, dict):
        raise InvalidRequest(
            f"Message {index}: each block must be an object.", field=f"messages.{index}.content"
        )
    kind = raw.get("type")
    if kind == "text" and isinstance(raw.get("text"), str):
        return Block("text", text=raw["text"], raw=raw, format=NAME)
    if kind == "thinking" and isinstance(raw.get("thinking"), str):
        signed = bool(raw.get("signature"))
        return Block("thinking", text=raw["thinking"], signed=signed, raw=raw, format=NAME)
    if kind == "redacted_thinking":
        return Block("thinking", signed=True, raw=raw, format=NAME)
    if kind == "tool_use":
        return Block(
            "tool_use",
            id=str(raw.get("id", "")),
            name=str(raw.get("name", "")),
            input=raw.get("input"),
            raw=raw,
            format=NAME,
        )
    if kind == "tool_result":
        content = raw.get("content")
        parts = content if isinstance(content, list) else None
        return Block(
            "tool_result",
            id=str(raw.get("tool_use_id", "")),
            text=content if isinstance(content, str) else "",
            parts=None if parts is None else tuple(_read_block(part, index) for part in parts),
            is_error=bool(raw.get("is_error")),
            raw=raw,
            format=NAME,
        )
    # Server tools: any block with a tool_use_id is a result, whatever its type ends with.
    other = raw.get("tool_use_id") or raw.get("id") or ""
    return Block("opaque", id=str(other), name=str(kind), raw=raw, format=NAME)


def write(messages: Sequence[Message]) -> tuple[list[Json], list[Lost]]:
    """Messages API form. System messages become user messages: the API has no such role."""
    out: list[Json] = []
    lost: list[Lost] = []
    foreign_results = False
    for index, message in enumerate(messages):
        if message.format == NAME and not message.dirty:
            out.append(message.raw)
            foreign_results = False
            continue
        blocks = [made for block in message.blocks if (made := _write(block, index, lost))]
        only_results = bool(message.blocks) and len(message.results) == len(message.blocks)
        if message.is_note and index and messages[index - 1].results:
            # The note is the last block behind the results; the entry before it stays as it is.
            out[-1] = {**out[-1], "content": [*out[-1]["content"], *blocks]}
            continue
        if message.results and foreign_results:
            # Parallel results arrive one by one in other formats; here they share one message.
            out[-1]["content"].extend(blocks)
            foreign_results = only_results
            continue
        if not blocks and _only_thought(message):
            continue
        if not blocks:
            blocks = [{"type": "text", "text": "[empty]"}]
        role = "assistant" if message.role == "assistant" else "user"
        base = dict(message.raw) if message.format == NAME else {}
        out.append({**base, "role": role, "content": blocks})
        foreign_results = only_results
    return out, lost


def _only_thought(message: Message) -> bool:
    return bool(message.blocks) and all(block.kind == "thinking" for block in message.blocks)


def _write(block: Block, index: int, lost: list[Lost]) -> JsonObject | None:
    base, whole = own_form(block, NAME)
    if whole:
        return base
    if block.kind == "text":
        return {**base, "type": "text", "text": block.text} if block.text.strip() else None
    if block.kind == "thinking":
        if base:
            return {**base, "thinking": block.text}
        lost.append(Lost(index, "thinking", "Unsigned thinking is not accepted back."))
        return None
    if block.kind == "tool_use":
        given = _parsed(block)
        return {
            **base,
            "type": "tool_use",
            "id": safe_id(block.id),
            "name": block.name,
            "input": given,
        }
    if block.kind == "tool_result":
        content: Json = block.text
        if block.parts is not None:
            content = [made for part in block.parts if (made := _write(part, index, lost))]
        made = {**base, "type": "tool_result", "tool_use_id": safe_id(block.id), "content": content}
        return {**made, "is_error": True} if block.is_error else made
    url = url_of(block)
    if url is None:
        return {"type": "text", "text": not_carried(block, index, lost)}
    return {"type": "image", "source": source_of(url)}


def _parsed(block: Block) -> Json:
    given = block.input
    if block.input_is_text:
        try:
            given = json.loads(block.input)
        except (ValueError, RecursionError):
            given = {"arguments": block.input}
    return given if isinstance(given, dict) else {"arguments": given}


def safe_id(call_id: str) -> str:
    """The id in the letters that the API accepts; two different ids stay different."""
    if call_id and not _BAD_ID.search(call_id):
        return call_id
    tail = hashlib.sha256(call_id.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{_BAD_ID.sub('_', call_id)[:40]}_{tail}"
