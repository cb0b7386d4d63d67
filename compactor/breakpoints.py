"""Where a provider shall cache: after the fixed part, and after the newest messages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from compactor.messages import Json, JsonObject
from compactor.rules import MAX_CACHE_MARKERS

MARKER: JsonObject = {"type": "ephemeral"}
_KEY = "cache_control"
# Blocks that the Messages API lets carry no marker.
_BARE = ("thinking", "redacted_thinking")


@dataclass(frozen=True, slots=True)
class Breakpoint:
    """The end of what shall be cached: ``block`` of ``message``, or of the part that is fixed.

    ``message`` is -1 for ``system`` and ``tools``; ``block`` is -1 where the content is one string.
    """

    part: Literal["tools", "system", "messages"]
    message: int = -1
    block: int = -1

    def __str__(self) -> str:
        return f"message {self.message}" if self.part == "messages" else self.part


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


def breakpoints(
    messages: Sequence[Json], *, system: Json = None, tools: Json = None, note: bool = False
) -> tuple[Breakpoint, ...]:
    """Places for a request to the Messages API: one after the fixed part (tools stand before the
    system prompt and are covered by it), the others on the last messages that are not the system's.
    Never more than four.

    With ``note`` the last block of the last message changes with every request: it is not cached, and
    the newest place is the block before it.
    """
    fixed = [i for i, m in enumerate(messages) if _is_system(m) and _place(m) is not None]
    places: list[Breakpoint] = []
    if system:
        places.append(Breakpoint("system", block=_last_of(system)))
    elif fixed:
        places.append(Breakpoint("messages", fixed[-1], _last_of(messages[fixed[-1]]["content"])))
    elif tools:
        places.append(Breakpoint("tools", block=_last_of(tools)))
    said: list[Breakpoint] = []
    for index in range(len(messages) - 1, -1, -1):
        if len(said) == MAX_CACHE_MARKERS - 1:
            break
        message = messages[index]
        at = (
            None
            if _is_system(message)
            else _place(message, skip=note and index == len(messages) - 1)
        )
        if at is not None:
            said.append(Breakpoint("messages", index, at))
    return (*places, *reversed(said))


def cache_plan(
    messages: Sequence[Json],
    *,
    system: Json = None,
    tools: Json = None,
    at: Sequence[Breakpoint] | None = None,
) -> CachePlan:
    """The request with markers ``at`` the places that a context names, or where ``breakpoints`` puts
    them. Markers that came with it do not count. A second pass changes nothing.
    """
    given = _markers([system, tools, list(messages)])
    plain: list[Json] = [_bare_message(message) for message in messages]
    system, tools = _bare(system), _bare(tools)
    places = breakpoints(plain, system=system, tools=tools) if at is None else at
    for place in places:
        if place.part == "system":
            system = _marked(system, place.block)
        elif place.part == "tools":
            tools = _marked(tools, place.block)
        else:
            message = plain[place.message]
            content = _marked(message["content"], place.block)
            plain[place.message] = {**message, "content": content}
    stayed = given & _markers([system, tools, plain])
    return CachePlan(system, tools, plain, tuple(map(str, places)), len(given) - len(stayed))


def _is_system(message: JsonObject) -> bool:
    return message.get("role") in ("system", "developer")


def _place(message: JsonObject, *, skip: bool = False) -> int | None:
    """The block of a message that may carry a marker, -1 for a string; ``None`` if none may."""
    content = message.get("content")
    if not isinstance(content, list):
        return -1 if content and not skip else None
    at = _last_of(content[:-1] if skip else content)
    return at if at >= 0 else None


def _last_of(blocks: Json) -> int:
    """The last block that may carry a marker, or -1."""
    if isinstance(blocks, list):
        for index in range(len(blocks) - 1, -1, -1):
            block = blocks[index]
            if (
                isinstance(block, dict)
                and block.get("type") not in _BARE
                and block.get("text") != ""
            ):
                return index
    return -1


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


def _marked(blocks: Json, at: int) -> Json:
    if isinstance(blocks, str):
        return [{"type": "text", "text": blocks, _KEY: MARKER}]
    return [{**b, _KEY: MARKER} if i == at else b for i, b in enumerate(blocks)]
