"""Chat Completions, of OpenAI and of those who speak like it."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence

from api.proxy.chat_stream import ChatRelay
from api.proxy.dialect import (
    Answer,
    Asked,
    Call,
    Relay,
    Result,
    Said,
    Sent,
    Untouched,
    summed,
)
from compactor.messages import Json, JsonObject

_SYSTEM = ("system", "developer")
#: Reasons to end that leave a call unfinished.
_BROKEN_OFF = ("length", "content_filter")
#: Of an answer, but not of a message that is sent back.
_ONLY_OUT = frozenset({"annotations"})


class Chat:
    """``POST …/chat/completions``."""

    format = "openai-chat"

    def read(self, body: JsonObject) -> Asked:
        messages, tools = body.get("messages"), body.get("tools", [])
        if not isinstance(messages, list) or not messages or not isinstance(tools, list):
            raise Untouched("no messages")
        if body.get("n") not in (None, 1):
            raise Untouched("several answers")  # a call in one of them could not be answered
        if body.get("functions") is not None:
            raise Untouched("functions")  # providers take these or tools, not both
        start = leading_system(messages)
        end = len(messages)
        while end > start and _role(messages[end - 1]) == "assistant":
            end -= 1
        if start == end:
            raise Untouched("no user message")
        return Asked(messages[:start], messages[start:end], messages[end:], None, tools)

    def write(self, body: JsonObject, sent: Sent) -> JsonObject:
        return keyed({**body, "messages": sent.messages}, sent)

    def tool(self, name: str, description: str, schema: JsonObject) -> JsonObject:
        function = {"name": name, "description": description, "parameters": schema}
        return {"type": "function", "function": function}

    def answer(self, body: JsonObject) -> Answer:
        choices = body.get("choices")
        if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
            raise ValueError("no choice")
        message = choices[0].get("message")
        if not isinstance(message, dict):
            raise ValueError("no message")
        return answer_of(message, choices[0].get("finish_reason"), body.get("usage"))

    def begun(self, entries: Sequence[Json]) -> int:
        return int(bool(entries) and _role(entries[0]) == "assistant")

    def said(self, entries: Sequence[Json]) -> Said:
        calls = [call for entry in entries for call in _calls(entry)]
        ids = frozenset(str(call.get("id")) for call in calls if isinstance(call, dict))
        return Said(ids, "".join(text_of(entry) for entry in entries))

    def answered(self, entries: Sequence[Json], results: Sequence[Result]) -> list[Json]:
        made = [
            {"role": "tool", "tool_call_id": result.call_id, "content": _worded(result)}
            for result in results
        ]
        return [*made, *entries]

    def merged(self, bodies: Sequence[JsonObject], names: Collection[str]) -> JsonObject:
        messages = [body["choices"][0]["message"] for body in bodies]
        last = dict(messages[-1])
        text = "".join(text_of(message) for message in messages)
        last["content"] = text or None
        calls = [call for call in _calls(last) if call_name(call) not in names]
        last.pop("tool_calls", None)
        if calls:
            last["tool_calls"] = calls
        choice = {**bodies[-1]["choices"][0], "message": last}
        usage: Json = None
        for body in bodies:
            usage = summed(usage, body.get("usage"))
        made = {**bodies[-1], "choices": [choice]}
        return made if usage is None else {**made, "usage": usage}

    def relay(self, names: Collection[str]) -> Relay:
        return ChatRelay(names, answer_of)


def leading_system(messages: Sequence[Json]) -> int:
    """How many system messages the list starts with."""
    for index, message in enumerate(messages):
        if not isinstance(message, dict) or message.get("role") not in _SYSTEM:
            return index
    return len(messages)


def keyed(body: JsonObject, sent: Sent) -> JsonObject:
    """With tools, and with the session's key for OpenAI's cache where the client has none of its own."""
    made = {**body, "tools": sent.tools} if sent.tools else dict(body)
    if sent.key:
        made.setdefault("prompt_cache_key", sent.key)
    return made


def answer_of(message: JsonObject, finish: Json, usage: Json) -> Answer:
    """What a message of an answer says."""
    entry = {k: v for k, v in message.items() if v is not None and k not in _ONLY_OUT}
    entry = {"role": "assistant", **entry}
    if "content" not in entry and "tool_calls" in entry:
        entry["content"] = None
    calls = tuple(
        Call(str(call.get("id", "")), call_name(call), _arguments(call))
        for call in _calls(entry)
        if isinstance(call, dict)
    )
    waits = bool(calls) and finish not in _BROKEN_OFF
    return Answer([entry], calls, waits, text_of(message), usage)


def call_name(call: Json) -> str:
    """The name of the function that is called; of another kind of tool none."""
    function = call.get("function") if isinstance(call, dict) else None
    return str(function.get("name", "")) if isinstance(function, dict) else ""


def _calls(message: JsonObject) -> list[Json]:
    calls = message.get("tool_calls")
    return calls if isinstance(calls, list) else []


def _arguments(call: JsonObject) -> JsonObject | None:
    function = call.get("function")
    return parsed(function.get("arguments")) if isinstance(function, dict) else None


def parsed(arguments: Json) -> JsonObject | None:
    """Arguments as an object; ``None`` if they are none."""
    try:
        value = json.loads(arguments or "{}")
    except (TypeError, ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def text_of(message: JsonObject) -> str:
    """The text that a reader sees."""
    content = message.get("content")
    if isinstance(content, list):
        return "".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else ""


def _role(message: Json) -> Json:
    return message.get("role") if isinstance(message, dict) else None


def _worded(result: Result) -> str:
    return f"Error: {result.text}" if result.is_error else result.text
