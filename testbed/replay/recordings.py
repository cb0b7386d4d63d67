"""Recorded histories, read from a folder of JSON files, and where in them the model was called."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from compactor.cost import history_cost
from compactor.formats import FORMATS, read, write
from compactor.messages import Json
from testbed.histories import fixed_part, format_of, lists_in

#: How many chat histories are also replayed as Responses items: nobody records those.
_CONVERTED = 6
#: From this size on, in characters, a history is one of the long ones and carries planted facts.
LONG_CHARS = 300_000


@dataclass(frozen=True, slots=True)
class Recording:
    """One history. ``system`` are the messages that it starts with and that never change."""

    name: str
    format: str
    system: tuple[Json, ...]
    messages: tuple[Json, ...]

    @property
    def chars(self) -> int:
        """Cost of the messages, without the system's."""
        return history_cost(self.messages)

    @property
    def group(self) -> str:
        """Those that are reported together: one format, long ones apart."""
        return f"{self.format}, long" if self.chars >= LONG_CHARS else self.format


def recordings(folder: Path) -> Iterator[Recording]:
    """Every file's history, in the order of the names; segments of one session are one history.

    A file is a list of messages, or an object that holds one as ``messages``, ``history``, ``traj`` or
    ``trajectory``, or as the ``messages`` of its ``segments``. ``format`` names the form; without it
    the first that reads every message is taken. Files that none reads are left out.
    """
    converted = 0
    for path in sorted(folder.rglob("*.json")):
        data = json.loads(path.read_text(encoding="utf-8"))
        messages = [message for part in lists_in(data) for message in part]
        named = data.get("format") if isinstance(data, dict) else None
        format = named if named in FORMATS else format_of(path, messages)
        if not messages or not format:
            continue
        yield _recording(path.stem, format, messages)
        if format == "openai-chat" and converted < _CONVERTED:
            converted += 1
            items, _ = write(read(messages, format), "openai-responses")
            yield _recording(f"{path.stem} as items", "openai-responses", items)


def _recording(name: str, format: str, messages: list[Json]) -> Recording:
    fixed = fixed_part(messages)
    return Recording(name, format, tuple(messages[:fixed]), tuple(messages[fixed:]))


def calls_of_the_model(messages: Sequence[Json], format: str) -> list[int]:
    """Places of the messages that a request was answered with: each start of an assistant's turn."""
    roles = [message.role for message in read(messages, format)]
    return [
        place
        for place, role in enumerate(roles)
        if role == "assistant" and place and roles[place - 1] != "assistant"
    ]
