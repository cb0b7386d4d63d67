"""Server-sent events as bytes: split where they end, read, and written anew only where they change."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncGenerator, AsyncIterator
from dataclasses import dataclass

from compactor.messages import Json, JsonObject
from extractor.errors import TooLarge

_END = re.compile(rb"\r?\n\r?\n")
#: Not all that Python takes for the end of a line: JSON may hold U+2028 as it is.
_LINE_END = re.compile(r"\r\n|\n|\r")
#: The longest end of an event.
_END_BYTES = 4


@dataclass(frozen=True, slots=True)
class Event:
    """``data`` is the JSON object of the event, ``None`` where it holds none; ``done`` marks ``[DONE]``."""

    raw: bytes
    name: str = ""
    data: JsonObject | None = None
    done: bool = False

    @property
    def kind(self) -> str:
        """What the data says that it is; empty where it says nothing."""
        kind = self.data.get("type") if self.data is not None else None
        return kind if isinstance(kind, str) else ""

    def changed(self, data: JsonObject) -> bytes:
        """The event with other data."""
        return written(data, self.name)


async def split(chunks: AsyncIterator[bytes], most_bytes: int) -> AsyncGenerator[bytes, None]:
    """Whole events, their ends included, as soon as they are there; at last what is left over.

    Raises:
        TooLarge: one event is larger than ``most_bytes``.
    """
    buffer, seen = bytearray(), 0  # grows and shrinks in place: an event may come in many pieces
    async for chunk in chunks:
        buffer += chunk
        while end := _end_of(buffer, max(0, seen - _END_BYTES)):
            event, seen = bytes(buffer[:end]), 0
            del buffer[:end]
            yield event
        seen = len(buffer)
        if seen > most_bytes:
            raise TooLarge(f"One event of the provider's answer has more than {most_bytes} bytes.")
    if buffer:
        yield bytes(buffer)


def _end_of(buffer: bytearray, start: int) -> int:
    """Where the first event ends; 0 if it does not end yet."""
    found = _END.search(buffer, start)
    return found.end() if found is not None else 0


def read(raw: bytes) -> Event:
    """What an event says; whatever cannot be read is an event without data."""
    name, lines = "", []
    for line in _LINE_END.split(raw.decode("utf-8", "replace")):
        field, _, value = line.partition(":")
        if field == "event":
            name = value.strip()
        elif field == "data":
            lines.append(value.removeprefix(" "))
    text = "\n".join(lines)
    if text.strip() == "[DONE]":
        return Event(raw, name, done=True)
    try:
        data: Json = json.loads(text) if text else None
    except (ValueError, RecursionError):
        data = None
    return Event(raw, name, data if isinstance(data, dict) else None)


def written(data: JsonObject, name: str = "") -> bytes:
    """An event with this data."""
    head = f"event: {name}\n" if name else ""
    text = json.dumps(data, separators=(",", ":"))
    return f"{head}data: {text}\n\n".encode()
