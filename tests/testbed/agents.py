"""Small histories of an agent at work, in every format, for the replay's tests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from compactor.formats import read, write


def agent(turns: int = 24, rows: int = 18) -> list[dict[str, Any]]:
    """A task, then calls and results; each third result is long, each call names the file of ten turns ago."""
    made: list[dict[str, Any]] = [{"role": "user", "content": "Find the broken station."}]
    for turn in range(turns):
        size = rows * 4 if turn % 3 == 0 else 2
        text = "\n".join(f"row {turn}.{n} of station_{turn:02}.log is fine" for n in range(size))
        past = max(0, turn - 10)
        call = {
            "type": "tool_use",
            "id": f"t{turn}",
            "name": "read",
            "input": {"path": f"station_{past:02}.log"},
        }
        said = {"type": "text", "text": f"Turn {turn}: the next one."}
        made.append({"role": "assistant", "content": [said, call]})
        result = {"type": "tool_result", "tool_use_id": f"t{turn}", "content": text}
        made.append({"role": "user", "content": [result]})
    made.append({"role": "assistant", "content": [{"type": "text", "text": "Done."}]})
    return made


def in_format(messages: list[dict[str, Any]], format: str) -> list[Any]:
    """The same history as another provider's messages."""
    return write(read(messages, "anthropic"), format)[0]


def recorded(folder: Path, *formats: str) -> Path:
    """A folder of the same history recorded in some formats, one file each."""
    folder.mkdir(parents=True, exist_ok=True)
    for format in formats:
        body = {"format": format, "messages": in_format(agent(), format)}
        (folder / f"in-{format}.json").write_text(json.dumps(body), encoding="utf-8")
    return folder
