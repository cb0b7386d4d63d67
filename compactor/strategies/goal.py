"""What the user asks for now."""

from __future__ import annotations

from collections.abc import Sequence

from compactor.messages import Message
from compactor.requests import requests
from compactor.trust import one_line

_LONGEST = 400


def goal_of(history: Sequence[Message]) -> str:
    """The request that is open, on one line; empty if there is none."""
    active = requests(history).active
    if active < 0:
        return ""
    said = " ".join(block.text for block in history[active].blocks if block.kind == "text")
    return one_line(said)[:_LONGEST]
