"""OpenAI Responses, read: a flat list of items; a turn of the assistant is several of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from compactor.errors import InvalidRequest
from compactor.messages import Block, Json, JsonObject, Message, Role

NAME = "openai-responses"
ROLES: dict[str, Role] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "assistant": "assistant",
}
_TEXTS = frozenset({"input_text", "output_text", "text"})
#: Items that an assistant's reasoning must stand before as long as they carry their id.
OWNED = frozenset({"message", "function_call"})


def read(items: Sequence[Json]) -> list[Message]:
    """Canonical messages, one an item. ``arguments`` strings stay strings."""
    return [_read_item(item, index) for index, item in enumerate(items)]


def kind_of(item: JsonObject) -> str:
    """The item's type; a message may leave it out."""
    return str(item.get("type") or ("message" if "role" in item else ""))


def _read_item(item: Json, index: int) -> Message:
    kind = kind_of(item) if isinstance(item, dict) else ""
    if not kind:
        raise InvalidRequest(
            f"Item {index} must be an object with a type or a role.", field=f"messages.{index}"
        )
    if kind == "message":
        return _read_message(item, index)
    if kind == "function_call":
        return _message("assistant", item, _read_call(item))
    if kind == "function_call_output":
        return _message("tool", item, _read_output(item, index))
    if kind == "reasoning":
        said = "\n".join(str(part.get("text", "")) for part in _objects(item.get("summary")))
        return _message("assistant", item, Block("thinking", text=said, signed=True))
    call_id = str(item.get("call_id") or "")
    return _message("assistant", item, Block("opaque", id=call_id, name=kind))


def _message(role: Role, item: JsonObject, block: Block) -> Message:
    return Message(role, (replace(block, raw=item, format=NAME),), raw=item, format=NAME)


def _objects(value: Json) -> list[JsonObject]:
    return [part for part in value if isinstance(part, dict)] if isinstance(value, list) else []


def _read_message(item: JsonObject, index: int) -> Message:
    role = ROLES.get(str(item.get("role")))
    content = item.get("content")
    if role is None or not isinstance(content, str | list):
        raise InvalidRequest(
            f"Item {index}: a message needs a role ({', '.join(ROLES)}) and a content that is a "
            "string or a list of parts.",
            field=f"messages.{index}",
        )
    if isinstance(content, str):
        blocks: tuple[Block, ...] = (Block("text", text=content, raw=content, format=NAME),)
    else:
        blocks = tuple(_read_part(part, index) for part in content)
    return Message(role, blocks, raw=item, format=NAME)


def _read_part(part: Json, index: int) -> Block:
    if not isinstance(part, dict):
        raise InvalidRequest(
            f"Item {index}: each content part must be an object.",
            field=f"messages.{index}.content",
        )
    if part.get("type") in _TEXTS and isinstance(part.get("text"), str):
        return Block("text", text=part["text"], raw=part, format=NAME)
    return Block("opaque", name=str(part.get("type")), raw=part, format=NAME)


def _read_call(item: JsonObject) -> Block:
    arguments = item.get("arguments", "{}")
    return Block(
        "tool_use",
        id=str(item.get("call_id") or ""),
        name=str(item.get("name", "")),
        input=arguments,
        input_is_text=isinstance(arguments, str),
    )


def _read_output(item: JsonObject, index: int) -> Block:
    output = item.get("output")
    if output is not None and not isinstance(output, str | list):
        raise InvalidRequest(
            f"Item {index}: output must be a string or a list of parts.",
            field=f"messages.{index}.output",
        )
    parts = tuple(_read_part(p, index) for p in output) if isinstance(output, list) else None
    return Block(
        "tool_result",
        id=str(item.get("call_id") or ""),
        text=output if isinstance(output, str) else "",
        parts=parts,
    )
