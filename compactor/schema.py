"""Tool definitions in the text protocol: in full when they are new, by one sentence when they are not."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from compactor.cost import serialise
from compactor.messages import Json
from compactor.policy import Policy

UNCHANGED = "The tools are the same as in turn {turn}; their definitions have not changed."


@dataclass(frozen=True, slots=True)
class Shown:
    """When the definitions were last sent in full: at which turn, after how many characters."""

    turn: int = -1
    chars: int = 0
    digest: str = ""


def digest_of(tools: Json) -> str:
    """Identity of tool definitions, by their stable serialisation."""
    return hashlib.sha256(serialise(tools).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def shown_after(shown: Shown, *, turn: int, chars: int, digest: str, policy: Policy) -> Shown:
    """The last full showing as of this turn. ``chars`` counts all characters appended so far."""
    due = (
        shown.turn < 0
        or digest != shown.digest
        or turn - shown.turn >= policy.schema_every_turns
        or chars - shown.chars >= policy.schema_every_chars
    )
    return Shown(turn, chars, digest) if due else shown


def tools_text(tools: Json, shown: Shown, turn: int) -> str:
    """The definitions as this turn sends them."""
    if not tools:
        return ""
    return serialise(tools) if shown.turn == turn else UNCHANGED.format(turn=shown.turn)
