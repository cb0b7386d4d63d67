"""The Messages API of Anthropic."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from api.proxy.anthropic_stream import AnthropicRelay
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
from compactor.breakpoints import MARKER, Breakpoint, breakpoints, cache_plan
from compactor.messages import Json, JsonObject

_MARKER = "cache_control"


class Anthropic:
    """``POST /v1/messages``."""

    format = "anthropic"

    def read(self, body: JsonObject) -> Asked:
        messages, tools = body.get("messages"), body.get("tools", [])
        if not isinstance(messages, list) or not messages or not isinstance(tools, list):
            raise Untouched("no messages")
        end = len(messages)
        while end and _role(messages[end - 1]) == "assistant":
            end -= 1
        if not end:
            raise Untouched("no user message")
        return Asked([], messages[:end], messages[end:], body.get("system"), tools)

    def write(self, body: JsonObject, sent: Sent) -> JsonObject:
        made = {**body, "messages": sent.messages}
        if sent.tools:
            made["tools"] = sent.tools
        return _marked(made, sent.places)

    def tool(self, name: str, description: str, schema: JsonObject) -> JsonObject:
        return {"name": name, "description": description, "input_schema": schema}

    def answer(self, body: JsonObject) -> Answer:
        content = body.get("content")
        if body.get("type") != "message" or not isinstance(content, list):
            raise ValueError("no message")
        return answer_of(content, body.get("stop_reason"), body.get("usage"))

    def begun(self, entries: Sequence[Json]) -> int:
        return int(bool(entries) and _role(entries[0]) == "assistant")

    def said(self, entries: Sequence[Json]) -> Said:
        blocks = [block for entry in entries for block in _blocks(entry.get("content"))]
        calls = frozenset(str(b.get("id")) for b in blocks if b.get("type") == "tool_use")
        return Said(calls, text_of(blocks))

    def answered(self, entries: Sequence[Json], results: Sequence[Result]) -> list[Json]:
        blocks = [_result(result) for result in results]
        if not entries or _role(entries[0]) != "user":
            return [{"role": "user", "content": blocks}, *entries]
        first = {**entries[0], "content": [*blocks, *_blocks(entries[0].get("content"))]}
        return [first, *entries[1:]]

    def merged(self, bodies: Sequence[JsonObject], names: Collection[str]) -> JsonObject:
        content = [block for body in bodies for block in visible(body["content"], names)]
        usage: Json = None
        for body in bodies:
            usage = summed(usage, body.get("usage"))
        return {**bodies[-1], "content": content, "usage": usage}

    def relay(self, names: Collection[str]) -> Relay:
        return AnthropicRelay(names, answer_of)


def answer_of(content: list[Any], stop_reason: Json, usage: Json) -> Answer:
    """What the blocks of an answer say."""
    blocks = [block for block in content if isinstance(block, dict)]
    calls = tuple(
        Call(
            str(block.get("id", "")),
            str(block.get("name", "")),
            block["input"] if isinstance(block.get("input"), dict) else None,
        )
        for block in blocks
        if block.get("type") == "tool_use"
    )
    entries = [{"role": "assistant", "content": content}] if content else []
    return Answer(entries, calls, stop_reason == "tool_use", text_of(blocks), usage)


def visible(content: Sequence[Any], names: Collection[str]) -> list[Any]:
    """Blocks that a client is shown."""
    return [
        block
        for block in content
        if not (
            isinstance(block, dict)
            and block.get("type") == "tool_use"
            and str(block.get("name")) in names
        )
    ]


def text_of(blocks: Sequence[JsonObject]) -> str:
    """The text that a reader sees."""
    return "".join(str(block.get("text", "")) for block in blocks if block.get("type") == "text")


def _role(message: Json) -> Json:
    return message.get("role") if isinstance(message, dict) else None


def _blocks(content: Json) -> list[Any]:
    if isinstance(content, list):
        return [block for block in content if isinstance(block, dict)]
    return [{"type": "text", "text": content}] if content else []


def _result(result: Result) -> JsonObject:
    made: JsonObject = {
        "type": "tool_result",
        "tool_use_id": result.call_id,
        "content": result.text,
    }
    return {**made, "is_error": True} if result.is_error else made


def _marked(body: JsonObject, places: Sequence[Breakpoint]) -> JsonObject:
    """With cache markers where they pay; the client's own stood in a history that has changed."""
    longer = "1h" in _lifetimes(body)
    body = {key: value for key, value in body.items() if key != _MARKER}
    system, tools = body.get("system"), body.get("tools")
    at = [
        *breakpoints([], system=system, tools=tools),
        *(place for place in places if place.part == "messages"),
    ]
    plan = cache_plan(body["messages"], system=system, tools=tools, at=at)
    made = {"system": plan.system, "tools": plan.tools, "messages": plan.messages}
    if longer:
        made = _longer(made)
    return {**body, **{key: value for key, value in made.items() if value is not None}}


def _lifetimes(value: Json) -> set[str]:
    if isinstance(value, dict):
        marker = value.get(_MARKER)
        own = {str(marker.get("ttl"))} if isinstance(marker, dict) else set()
        return own.union(*map(_lifetimes, value.values()))
    return set().union(*map(_lifetimes, value)) if isinstance(value, list) else set()


def _longer(value: Json) -> Json:
    """With the lifetime that the client had asked for on every marker that was set here."""
    if isinstance(value, dict):
        made = {key: _longer(item) for key, item in value.items() if key != _MARKER}
        if value.get(_MARKER) is MARKER:
            return {**made, _MARKER: {**MARKER, "ttl": "1h"}}
        return {**made, **({_MARKER: value[_MARKER]} if _MARKER in value else {})}
    return [_longer(item) for item in value] if isinstance(value, list) else value
