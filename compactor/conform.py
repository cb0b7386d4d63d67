"""Bring a valid Chat Completions list into the form of a stricter provider.

Every change follows from the list alone, so a longer list starts with the same messages as a shorter
one but for its last entry.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from compactor.messages import OPENING, Json, JsonObject

ALLOWANCE_CHARS = {"gemini": 0, "mistral-strict": 72, "deepseek-reasoner": 25}
GOES_ON = "[noted]"
NOTE = "[note from the system]"
_ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_ID_LENGTH = 9


def conform(messages: Sequence[Json], profile: str) -> list[Json]:
    """The list as ``profile`` takes it; unchanged for a profile that asks for nothing more. Linear.

    System text behind the start becomes a marked user message, neighbours of one role are joined, a
    user stands first. ``mistral-strict`` also gets ids of nine letters or digits and an assistant's
    word between results and a user; ``deepseek-reasoner`` a ``reasoning_content`` in every turn.
    """
    if profile not in ALLOWANCE_CHARS:
        return list(messages)
    made = _joined(_user_first(_system_first(messages)))
    if profile == "mistral-strict":
        made = [_short_ids(message) for message in _answered(made)]
    if profile == "deepseek-reasoner":
        made = [_reasoned(message) for message in made]
    return made


def _system_first(messages: Sequence[JsonObject]) -> list[JsonObject]:
    out: list[JsonObject] = []
    for message in messages:
        is_system = message["role"] in ("system", "developer")
        if is_system and out and any(m["role"] not in ("system", "developer") for m in out):
            text = f"{NOTE}\n{_text(message.get('content'))}"
            out.append({"role": "user", "content": text})
        else:
            out.append(message)
    return out


def _user_first(messages: Sequence[JsonObject]) -> list[JsonObject]:
    for index, message in enumerate(messages):
        if message["role"] in ("system", "developer"):
            continue
        if message["role"] == "user":
            return list(messages)
        return [*messages[:index], {"role": "user", "content": OPENING}, *messages[index:]]
    return list(messages)


def _joined(messages: Sequence[JsonObject]) -> list[JsonObject]:
    out: list[JsonObject] = []
    for message in messages:
        before = out[-1] if out else None
        if before is None or message["role"] == "tool" or message["role"] != before["role"]:
            out.append(message)
            continue
        both = {
            **before,
            **message,
            "content": _both(before.get("content"), message.get("content")),
        }
        calls = [*(before.get("tool_calls") or ()), *(message.get("tool_calls") or ())]
        thoughts = [m["reasoning_content"] for m in (before, message) if m.get("reasoning_content")]
        if calls:
            both["tool_calls"] = calls
        if thoughts:
            both["reasoning_content"] = "\n\n".join(thoughts)
        out[-1] = both
    return out


def _both(one: Json, two: Json) -> Json:
    if not one or not two:
        return one or two
    parts = [*_parts(one), *_parts(two)]
    if isinstance(one, str) and all(set(part) == {"type", "text"} for part in parts):
        # A text that was sent as a string stays one, so that what is cached of it still holds.
        return "\n\n".join(part["text"] for part in parts)
    return parts


def _parts(content: Json) -> list[Json]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(content)


def _text(content: Json) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(str(part.get("text", "")) for part in content or ())


def _answered(messages: Sequence[JsonObject]) -> list[JsonObject]:
    out: list[JsonObject] = []
    for message in messages:
        if out and out[-1]["role"] == "tool" and message["role"] == "user":
            out.append({"role": "assistant", "content": GOES_ON})
        out.append(message)
    return out


def short_id(call_id: str) -> str:
    """Nine letters or digits that follow from the id; an id of that form stays."""
    if len(call_id) == _ID_LENGTH and call_id.isascii() and call_id.isalnum():
        return call_id
    number = int.from_bytes(hashlib.sha256(call_id.encode("utf-8", "surrogatepass")).digest())
    letters = []
    for _ in range(_ID_LENGTH):
        number, digit = divmod(number, len(_ALPHABET))
        letters.append(_ALPHABET[digit])
    return "".join(letters)


def _short_ids(message: JsonObject) -> JsonObject:
    if message["role"] == "tool":
        return {**message, "tool_call_id": short_id(str(message.get("tool_call_id", "")))}
    if not message.get("tool_calls"):
        return message
    calls = [{**call, "id": short_id(str(call.get("id", "")))} for call in message["tool_calls"]]
    return {**message, "tool_calls": calls}


def _reasoned(message: JsonObject) -> JsonObject:
    if message["role"] != "assistant" or "reasoning_content" in message:
        return message
    return {**message, "reasoning_content": ""}
