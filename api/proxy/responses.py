"""The Responses API of OpenAI."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from api.proxy.chat import keyed, leading_system, parsed
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
from api.proxy.responses_stream import ResponsesRelay
from compactor.formats.openai_responses import kind_of
from compactor.messages import Json, JsonObject

#: With these the provider keeps the history, or a part of it: what we do not see we cannot compact.
_KEPT_THERE = ("previous_response_id", "conversation")


class Responses:
    """``POST …/responses``."""

    format = "openai-responses"

    def read(self, body: JsonObject) -> Asked:
        for field in _KEPT_THERE:
            if body.get(field) is not None:
                raise Untouched(field)
        if body.get("store") is True or body.get("background") is True:
            raise Untouched("store" if body.get("store") is True else "background")
        given, tools = body.get("input"), body.get("tools", [])
        if isinstance(given, str):
            given = [{"role": "user", "content": given}]
        if not isinstance(given, list) or not given or not isinstance(tools, list):
            raise Untouched("no input")
        if any(isinstance(item, dict) and item.get("type") == "item_reference" for item in given):
            raise Untouched("item_reference")
        start = leading_system(given)
        if start == len(given):
            raise Untouched("no user message")
        return Asked(given[:start], given[start:], [], body.get("instructions"), tools)

    def write(self, body: JsonObject, sent: Sent) -> JsonObject:
        return keyed({**body, "input": sent.messages}, sent)

    def tool(self, name: str, description: str, schema: JsonObject) -> JsonObject:
        made = {"type": "function", "name": name, "description": description}
        return {**made, "parameters": schema, "strict": False}

    def answer(self, body: JsonObject) -> Answer:
        if not isinstance(body.get("output"), list):
            raise ValueError("no output")
        return answer_of(body)

    def begun(self, entries: Sequence[Json]) -> int:
        for index, entry in enumerate(entries):
            if not isinstance(entry, dict) or not _is_assistants(entry):
                return index
        return len(entries)

    def said(self, entries: Sequence[Json]) -> Said:
        ids = frozenset(str(entry["call_id"]) for entry in entries if _is_call(entry))
        return Said(ids, "".join(text_of(entry) for entry in entries))

    def answered(self, entries: Sequence[Json], results: Sequence[Result]) -> list[Json]:
        made = [
            {
                "type": "function_call_output",
                "call_id": result.call_id,
                "output": f"Error: {result.text}" if result.is_error else result.text,
            }
            for result in results
        ]
        return [*made, *entries]

    def merged(self, bodies: Sequence[JsonObject], names: Collection[str]) -> JsonObject:
        usage: Json = None
        for body in bodies:
            usage = summed(usage, body.get("usage"))
        output = [item for body in bodies for item in visible(body["output"], names)]
        return {**bodies[-1], "output": output, "usage": usage}

    def relay(self, names: Collection[str]) -> Relay:
        return ResponsesRelay(names, answer_of, visible)


def answer_of(body: JsonObject) -> Answer:
    """What a response says."""
    items = [item for item in body["output"] if isinstance(item, dict)]
    calls = tuple(_call(item) for item in items if _is_call(item))
    waits = bool(calls) and body.get("status") == "completed"
    text = "".join(map(text_of, items))
    return Answer(list(items), calls, waits, text, body.get("usage"), str(body.get("id") or ""))


def visible(items: Sequence[Json], names: Collection[str]) -> list[Json]:
    """Items that a client is shown."""
    return [
        item
        for item in items
        if not (
            isinstance(item, dict)
            and item.get("type") == "function_call"
            and str(item.get("name")) in names
        )
    ]


def text_of(item: JsonObject) -> str:
    """The text that a reader sees of an item."""
    content = item.get("content")
    if kind_of(item) != "message":
        return ""
    if isinstance(content, list):
        return "".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else ""


def _is_call(item: JsonObject) -> bool:
    """Whether the client must answer it: what the provider runs by itself has no ``call_id``."""
    return kind_of(item).endswith("_call") and "call_id" in item


def _call(item: JsonObject) -> Call:
    name = str(item.get("name", "")) if item.get("type") == "function_call" else ""
    return Call(str(item["call_id"]), name, parsed(item.get("arguments")))


def _is_assistants(item: JsonObject) -> bool:
    kind = kind_of(item)
    if kind == "message":
        return item.get("role") == "assistant"
    return not kind.endswith("_output")
