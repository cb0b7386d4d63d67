"""A model that works for sixty turns: it thinks, calls tools in parallel, looks up what was taken out."""

from __future__ import annotations

import json
import random
import re
from dataclasses import dataclass, field
from typing import Any

from tests.proxy.provider import Asked, Call, Part, Text, Thinking

TURNS = 60
_REF = re.compile(r"\bref=(a:[0-9a-f]{8,})")
#: Turns on which the model looks something up, alone or beside a call of the client's tool.
ALONE, BESIDE, NOTING = (12, 30, 47), (21, 38), (9, 40)


@dataclass(slots=True)
class Story:
    """``expanded`` are (call id, ref) of look-ups; ``answers`` what came back for them, by call id."""

    thinks: bool = False
    turns: int = TURNS
    turn: int = 0
    looked: bool = False
    expanded: dict[str, str] = field(default_factory=dict)

    def __call__(self, asked: Asked) -> list[Part]:
        if self.turn >= self.turns:
            return [Text("The import stopped at station 41.")]
        if self.turn in (*ALONE, *NOTING) and not self.looked:
            self.looked = True
            return [*self._thought(), Text("Let me look that up. "), self._lookup(asked)]
        looks = [self._lookup(asked)] if self.turn in BESIDE else []
        self.looked = False
        self.turn += 1
        calls = [
            Call(f"call_{self.turn}_{number}", "read_log", {"station": self.turn * 10 + number})
            for number in range(3 if self.turn % 7 == 0 else 1)
        ]
        return [*self._thought(), Text(f"Now station {self.turn}."), *looks, *calls]

    def _thought(self) -> list[Part]:
        return [Thinking(f"Station {self.turn} may matter.")] if self.thinks else []

    def _lookup(self, asked: Asked) -> Call:
        call_id = f"look_{self.turn}"
        if self.turn in NOTING:
            note = {"key_info": f"stations up to {self.turn} are clean"}
            return Call(call_id, "update_working_checkpoint", note)
        refs = refs_in(asked.messages)
        assert refs, "nothing was taken out"
        self.expanded[call_id] = refs[0]
        return Call(call_id, "expand", {"ref": refs[0], "count": 600})


def refs_in(messages: list[Any]) -> list[str]:
    """Refs that the markers of a request name, in their order."""
    return _REF.findall(json.dumps(messages))


def read_log(name: str, arguments: dict[str, Any]) -> str:
    """The client's tool: short and long logs, the same for the same station."""
    station = int(arguments["station"])
    made = random.Random(station)
    count = 700 if station // 10 % 3 == 0 else made.choice([3, 8, 20, 60])
    lines = [
        f"{station}:{line} {made.randrange(10**9):09d} {'ok' * (line % 5)}" for line in range(count)
    ]
    return "\n".join(lines)


def results_in(messages: list[Any]) -> dict[str, str]:
    """Results of calls in a request of any of the APIs, by call id."""
    found: dict[str, str] = {}
    for message in messages:
        if message.get("role") == "tool":
            found[message["tool_call_id"]] = message["content"]
        elif message.get("type") == "function_call_output":
            found[message["call_id"]] = message["output"]
        elif isinstance(message.get("content"), list):
            for block in message["content"]:
                if block.get("type") == "tool_result":
                    found[block["tool_use_id"]] = str(block["content"])
    return found
