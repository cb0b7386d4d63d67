"""OpenAI Responses: a flat list of items; a turn of the assistant is several of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from compactor.cost import serialise
from compactor.errors import InvalidRequest
from compactor.formats.lost import Lost, not_carried
from compactor.formats.picture import url_of
from compactor.messages import Block, Json, JsonObject, Message, Role

NAME = "openai-responses"
_ROLES: dict[str, Role] = {
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
    role = _ROLES.get(str(item.get("role")))
    content = item.get("content")
    if role is None or not isinstance(content, str | list):
        raise InvalidRequest(
            f"Item {index}: a message needs a role ({', '.join(_ROLES)}) and a content that is a "
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


def write(messages: Sequence[Message]) -> tuple[list[Json], list[Lost]]:
    """Items; a message of several blocks becomes one item a call, result or run of text."""
    out: list[Json] = []
    lost: list[Lost] = []
    for index, message in enumerate(messages):
        if message.format == NAME and not message.dirty:
            out += [message.raw, *(raw for _, raw in message.also)]
        else:
            out += _write_message(message, index, lost)
    return out, lost


def _write_message(message: Message, index: int, lost: list[Lost]) -> list[JsonObject]:
    own = message.format == NAME and not message.also and isinstance(message.raw, dict)
    envelope = message.raw if own and kind_of(message.raw) == "message" else {}
    items: list[JsonObject] = []
    said: list[Block] = []

    def flush() -> None:
        if said:
            items.append(_write_text(message, envelope, said, index, lost))
            said.clear()

    for block in message.blocks:
        if block.kind in ("text", "opaque") and not _is_item(block):
            said.append(block)
            continue
        flush()
        item = _write_block(block, index, lost)
        if item is not None:
            items.append(item)
    flush()
    if not items:
        empty = Block("text", text="[empty]")
        items = [_write_text(message, envelope, [empty], index, lost)]
    return _without_lost_owners(items)


def _is_item(block: Block) -> bool:
    """Whether an opaque block was an item of its own, not a part of a message."""
    raw = block.raw if block.format == NAME and isinstance(block.raw, dict) else {}
    return block.kind == "opaque" and (
        "call_id" in raw or "id" in raw or "encrypted_content" in raw
    )


def _write_text(
    message: Message, envelope: JsonObject, blocks: list[Block], index: int, lost: list[Lost]
) -> JsonObject:
    role = "user" if message.role == "tool" else message.role
    base = {key: value for key, value in envelope.items() if key != "content"}
    if _ROLES.get(str(base.get("role"))) != role:
        base["role"] = role
    content: Json = [_part(block, role, index, lost) for block in blocks]
    plain = all(block.kind == "text" for block in blocks)
    if plain and (len(blocks) == 1 and not isinstance(envelope.get("content"), list)):
        content = blocks[0].text
    return {"type": "message", **base, "content": content}


def _part(block: Block, role: str, index: int, lost: list[Lost]) -> JsonObject:
    own = block.format == NAME and isinstance(block.raw, dict)
    if own and not block.dirty:
        raw: JsonObject = block.raw
        return raw
    kind = "output_text" if role == "assistant" else "input_text"
    if block.kind == "text":
        return {"type": kind, **(block.raw if own else {}), "text": block.text}
    url = url_of(block)
    if url is not None and role != "assistant":
        return {"type": "input_image", "image_url": url}
    return {"type": kind, "text": not_carried(block, index, lost)}


def _write_block(block: Block, index: int, lost: list[Lost]) -> JsonObject | None:
    own = block.format == NAME and isinstance(block.raw, dict)
    base: JsonObject = dict(block.raw) if own else {}
    if own and not block.dirty:
        return base
    if block.kind == "tool_use":
        arguments = block.input if block.input_is_text else serialise(block.input)
        made = {"type": "function_call", **base, "call_id": block.id, "name": block.name}
        return {**made, "arguments": arguments}
    if block.kind == "tool_result":
        output: Json = block.text
        if block.parts is not None:
            output = [_part(part, "tool", index, lost) for part in block.parts]
        return {"type": "function_call_output", **base, "call_id": block.id, "output": output}
    lost.append(Lost(index, block.kind, "Reasoning of another provider is not accepted."))
    return None


def _without_lost_owners(items: list[JsonObject]) -> list[JsonObject]:
    """An item keeps its id only behind the reasoning item that it was made with."""
    reasoned = False
    out = []
    for item in items:
        reasoned = reasoned or kind_of(item) == "reasoning"
        if not reasoned and kind_of(item) in OWNED and "id" in item:
            item = {key: value for key, value in item.items() if key != "id"}
        out.append(item)
    return out
