"""OpenAI Chat Completions: ``tool_calls`` beside the content, results in role ``tool``."""

from __future__ import annotations

from collections.abc import Sequence

from compactor.errors import InvalidRequest
from compactor.formats.lost import Lost, checked_object, not_carried
from compactor.formats.own import arguments_of, own_form, role_of
from compactor.formats.picture import url_of
from compactor.messages import Block, Json, JsonObject, Message, Role

NAME = "openai-chat"
_ROLES: dict[str, Role] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "assistant": "assistant",
    "tool": "tool",
}


def read(messages: Sequence[Json]) -> list[Message]:
    """Canonical messages; ``arguments`` strings stay strings."""
    return [_read_message(checked_object(raw, i), i) for i, raw in enumerate(messages)]


def _read_message(raw: JsonObject, index: int) -> Message:
    role = role_of(raw, _ROLES, index)
    content = raw.get("content")
    if content is not None and not isinstance(content, str | list):
        raise InvalidRequest(
            f"Message {index}: content must be a string, a list of parts or null.",
            field=f"messages.{index}.content",
        )
    if role == "tool":
        parts = content if isinstance(content, list) else None
        result = Block(
            "tool_result",
            id=str(raw.get("tool_call_id", "")),
            text=content if isinstance(content, str) else "",
            parts=None if parts is None else tuple(_read_part(part, index) for part in parts),
            raw=content,
            format=NAME,
        )
        return Message(role, (result,), raw=raw, format=NAME)
    blocks: list[Block] = []
    if isinstance(raw.get("reasoning_content"), str):
        blocks.append(Block("thinking", text=raw["reasoning_content"], format=NAME))
    calls = raw.get("tool_calls") or []
    if isinstance(content, list):
        blocks += [_read_part(part, index) for part in content]
    elif isinstance(content, str) and (content or not calls):
        blocks.append(Block("text", text=content, raw=content, format=NAME))
    blocks += [_read_call(call, index) for call in calls]
    return Message(role, tuple(blocks), raw=raw, format=NAME)


def _read_part(raw: Json, index: int) -> Block:
    if not isinstance(raw, dict):
        raise InvalidRequest(
            f"Message {index}: each content part must be an object.",
            field=f"messages.{index}.content",
        )
    if raw.get("type") == "text" and isinstance(raw.get("text"), str):
        return Block("text", text=raw["text"], raw=raw, format=NAME)
    return Block("opaque", name=str(raw.get("type")), raw=raw, format=NAME)


def _read_call(raw: Json, index: int) -> Block:
    function = raw.get("function") if isinstance(raw, dict) else None
    if not isinstance(function, dict):
        raise InvalidRequest(
            f"Message {index}: each tool call needs a function.",
            field=f"messages.{index}.tool_calls",
        )
    arguments = function.get("arguments", "{}")
    return Block(
        "tool_use",
        id=str(raw.get("id") or ""),
        name=str(function.get("name", "")),
        input=arguments,
        input_is_text=isinstance(arguments, str),
        raw=raw,
        format=NAME,
    )


def write(messages: Sequence[Message]) -> tuple[list[Json], list[Lost]]:
    """Chat Completions form: n results in a message become n ``tool`` messages, then the rest."""
    out: list[Json] = []
    lost: list[Lost] = []
    for index, message in enumerate(messages):
        if message.format == NAME and not message.dirty:
            out.append(message.raw)
            continue
        base: JsonObject = dict(message.raw) if message.format == NAME else {}
        results = message.results
        for result in results:
            own = base if message.role == "tool" else {}
            out.append(
                {
                    **own,
                    "role": "tool",
                    "tool_call_id": result.id,
                    "content": _content(result, index, lost),
                }
            )
        rest = tuple(block for block in message.blocks if block.kind != "tool_result")
        thought = bool(rest) and all(block.kind == "thinking" for block in rest)
        if thought and message.format != NAME:
            lost.append(Lost(index, "thinking", "Signed thinking belongs to its own provider."))
            continue
        if rest or not results:
            out.append(_write_rest(message, rest, {} if results else base, index, lost))
    return out, lost


def _write_rest(
    message: Message, blocks: tuple[Block, ...], base: JsonObject, index: int, lost: list[Lost]
) -> JsonObject:
    # A result that became text leaves role "tool"; its message keys mean nothing any more.
    made: JsonObject = {
        key: value
        for key, value in base.items()
        if key not in ("tool_calls", "tool_call_id", "content", "reasoning_content")
    }
    role = "user" if message.role == "tool" else message.role
    if _ROLES.get(made.get("role", "")) != role:
        made["role"] = role
    parts = [_part(block, index, lost) for block in blocks if block.kind in ("text", "opaque")]
    shown = [part for part in parts if part.get("text") != ""]
    calls = [_call(block) for block in blocks if block.kind == "tool_use"]
    for block in blocks:
        if block.kind == "thinking" and block.format == NAME:
            made["reasoning_content"] = block.text
        elif block.kind == "thinking":
            lost.append(Lost(index, "thinking", "Signed thinking belongs to its own provider."))
    plain = all(set(part) == {"type", "text"} for part in shown)
    if not shown:
        made["content"] = None if calls else "[empty]"
    elif plain and (len(shown) == 1 or message.role == "assistant"):
        made["content"] = "\n\n".join(part["text"] for part in shown)
    else:
        made["content"] = shown
    return {**made, "tool_calls": calls} if calls else made


def _content(result: Block, index: int, lost: list[Lost]) -> Json:
    if result.parts is None:
        return result.text
    return [_part(part, index, lost) for part in result.parts]


def _part(block: Block, index: int, lost: list[Lost]) -> JsonObject:
    base, whole = own_form(block, NAME)
    if whole:
        return base
    if block.kind == "text":
        return {**base, "type": "text", "text": block.text}
    url = url_of(block)
    if url is not None:
        return {"type": "image_url", "image_url": {"url": url}}
    return {"type": "text", "text": not_carried(block, index, lost)}


def _call(block: Block) -> JsonObject:
    base, whole = own_form(block, NAME)
    if whole:
        return base
    function = {
        **base.get("function", {}),
        "name": block.name,
        "arguments": arguments_of(block),
    }
    return {**base, "id": block.id, "type": "function", "function": function}
