"""OpenAI Responses, written: items that stand alone, ids only where their reasoning still is."""

from __future__ import annotations

from collections.abc import Sequence

from compactor.formats.lost import Lost, not_carried
from compactor.formats.openai_responses import NAME, OWNED, ROLES, kind_of
from compactor.formats.own import arguments_of, own_form
from compactor.formats.picture import url_of
from compactor.messages import Block, Json, JsonObject, Message

#: An opaque block with one of these was an item of its own, not a part of a message.
_ITEM_KEYS = frozenset({"call_id", "id", "encrypted_content"})


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
    raw, _ = own_form(block, NAME)
    return block.kind == "opaque" and not raw.keys().isdisjoint(_ITEM_KEYS)


def _write_text(
    message: Message, envelope: JsonObject, blocks: list[Block], index: int, lost: list[Lost]
) -> JsonObject:
    role = "user" if message.role == "tool" else message.role
    base = {key: value for key, value in envelope.items() if key != "content"}
    if ROLES.get(str(base.get("role"))) != role:
        base["role"] = role
    content: Json = [_part(block, role, index, lost) for block in blocks]
    plain = all(block.kind == "text" for block in blocks)
    if plain and (len(blocks) == 1 and not isinstance(envelope.get("content"), list)):
        content = blocks[0].text
    return {"type": "message", **base, "content": content}


def _part(block: Block, role: str, index: int, lost: list[Lost]) -> JsonObject:
    base, whole = own_form(block, NAME)
    if whole:
        return base
    kind = "output_text" if role == "assistant" else "input_text"
    if block.kind == "text":
        return {"type": kind, **base, "text": block.text}
    url = url_of(block)
    if url is not None and role != "assistant":
        return {"type": "input_image", "image_url": url}
    return {"type": kind, "text": not_carried(block, index, lost)}


def _write_block(block: Block, index: int, lost: list[Lost]) -> JsonObject | None:
    base, whole = own_form(block, NAME)
    if whole:
        return base
    if block.kind == "tool_use":
        made = {"type": "function_call", **base, "call_id": block.id, "name": block.name}
        return {**made, "arguments": arguments_of(block)}
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
