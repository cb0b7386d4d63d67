"""Where a provider shall cache: after the fixed part, and after the newest messages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from compactor.messages import Json, JsonObject
from compactor.rules import MAX_CACHE_MARKERS

MARKER: JsonObject = {"type": "ephemeral"}
_KEY = "cache_control"
# Blocks that the Messages API lets carry no marker.
_BARE = ("thinking", "redacted_thinking")


@dataclass(frozen=True, slots=True)
class CachePlan:
    """The request with its markers. ``breakpoints`` says where they stand (``tools``, ``system`` or
    ``message N``), ``removed`` how many that came with it stand there no more.
    """

    system: Json
    tools: Json
    messages: list[Json]
    breakpoints: tuple[str, ...]
    removed: int


def cache_plan(messages: Sequence[Json], *, system: Json = None, tools: Json = None) -> CachePlan:
    """Markers for a request to the Messages API: one after the fixed part (tools stand before the
    system prompt and are covered by its marker), the others on the last messages that are not the
    system's. Never more than four, whatever markers came with it. A second pass changes nothing.
    """
    given = _markers([system, tools, list(messages)])
    plain = [_bare_message(message) for message in messages]
    fixed = [i for i, m in enumerate(plain) if _is_system(m) and _can_mark(m)]
    places: list[str] = []
    system, tools = _bare(system), _bare(tools)
    if system:
        system = _marked(system)
        places.append("system")
    elif fixed:
        plain[fixed[-1]] = _marked_message(plain[fixed[-1]])
        places.append(f"message {fixed[-1]}")
    elif tools:
        tools = _marked(tools)
        places.append("tools")
    said = [i for i, m in enumerate(plain) if not _is_system(m) and _can_mark(m)]
    for index in said[-(MAX_CACHE_MARKERS - 1) :]:
        plain[index] = _marked_message(plain[index])
        places.append(f"message {index}")
    stayed = given & _markers([system, tools, plain])
    return CachePlan(system, tools, plain, tuple(places), len(given) - len(stayed))


def _is_system(message: JsonObject) -> bool:
    return message.get("role") in ("system", "developer")


def _markers(value: Json, path: tuple[int | str, ...] = ()) -> set[tuple[int | str, ...]]:
    """Paths of all markers in a request."""
    if isinstance(value, dict):
        own = {path} if _KEY in value else set()
        return own.union(*(_markers(item, (*path, key)) for key, item in value.items()))
    if isinstance(value, list):
        return set().union(*(_markers(item, (*path, i)) for i, item in enumerate(value)))
    return set()


def _bare(blocks: Json) -> Json:
    if not isinstance(blocks, list):
        return blocks
    return [_bare_block(block) for block in blocks]


def _bare_block(block: Json) -> Json:
    if not isinstance(block, dict):
        return block
    made = {key: value for key, value in block.items() if key != _KEY}
    if isinstance(made.get("content"), list):
        made["content"] = _bare(made["content"])
    return made


def _bare_message(message: JsonObject) -> JsonObject:
    return {**message, "content": _bare(message.get("content"))}


def _last(blocks: Sequence[Json]) -> int:
    """The last block that may carry a marker, or -1."""
    for index in range(len(blocks) - 1, -1, -1):
        block = blocks[index]
        if isinstance(block, dict) and block.get("type") not in _BARE and block.get("text") != "":
            return index
    return -1


def _can_mark(message: JsonObject) -> bool:
    content = message.get("content")
    if isinstance(content, list):
        return _last(content) >= 0
    return bool(content)


def _marked(blocks: Json) -> Json:
    if isinstance(blocks, str):
        return [{"type": "text", "text": blocks, _KEY: MARKER}]
    at = _last(blocks)
    return [{**b, _KEY: MARKER} if i == at else b for i, b in enumerate(blocks)]


def _marked_message(message: JsonObject) -> JsonObject:
    return {**message, "content": _marked(message["content"])}
