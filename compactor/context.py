"""What a session gives out to be sent."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from compactor.breakpoints import Breakpoint
from compactor.cost import serialise
from compactor.formats.lost import Lost
from compactor.messages import Json


@dataclass(frozen=True, slots=True)
class Stats:
    """Sizes in characters, counts in messages; ``cost_chars`` is for the format asked for."""

    cost_chars: int
    budget_chars: int
    messages: int
    appended: int
    evicted: int
    refs: int


@dataclass(frozen=True, slots=True)
class Context:
    """What to send: the fixed part, the messages, and what the format could not carry.

    ``allowed_tools`` names the tools that this request may call, ``None`` all; the list of tools itself
    stays, so that it stays cached. ``breakpoints`` are places for cache markers (``cache_plan`` sets
    them), for providers that take any; the newest stands before the working memory.
    """

    system: Json
    tools: Json
    messages: list[Json]
    stats: Stats
    lost: tuple[Lost, ...] = ()
    allowed_tools: tuple[str, ...] | None = None
    breakpoints: tuple[Breakpoint, ...] = ()

    @property
    def etag(self) -> str:
        """A digest of exactly what is sent."""
        body = serialise([self.system, self.tools, self.messages])
        return hashlib.sha256(body.encode("utf-8", "surrogatepass")).hexdigest()[:32]
