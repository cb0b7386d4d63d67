"""Streams of server-sent events, line by line."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, TypedDict

from api.client.errors import error_of


class Event(TypedDict):
    """``event`` is its kind, ``id`` where to go on behind it (empty: nowhere), ``data`` its JSON."""

    event: str
    id: str
    data: Any


@dataclass(slots=True)
class EventLines:
    """What is known of the event whose lines are coming."""

    kind: str = "message"
    id: str = ""
    data: list[str] = field(default_factory=list)

    def take(self, line: str) -> Event | None:
        """The event that ends with ``line``, if one does.

        Raises:
            ProblemError: the stream ended in one.
        """
        if not line:
            return self._ended()
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "event":
            self.kind = value
        elif name == "id":
            self.id = value
        elif name == "data":
            self.data.append(value)
        return None

    def _ended(self) -> Event | None:
        kind, text = self.kind, "\n".join(self.data)
        self.kind, self.data = "message", []
        if not text:
            return None
        data = json.loads(text)
        if kind == "problem":
            raise error_of(int(data["status"]), text.encode())
        return {"event": kind, "id": self.id, "data": data}
