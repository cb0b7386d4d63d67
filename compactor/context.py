"""What a session gives out to be sent."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from compactor.breakpoints import Breakpoint
from compactor.charge import Miss
from compactor.cost import serialise
from compactor.formats.lost import Lost
from compactor.messages import Json


@dataclass(frozen=True, slots=True)
class Stats:
    """Sizes in characters, counts in messages; ``cost_chars`` is for the format asked for.

    ``epoch`` counts compactions. ``reused_chars`` of this request (fixed part and messages) were in the
    one that the session gave out before, ``written_chars`` are not cached; ``modelled_cost`` is what both
    cost, in plain input characters, and ``miss`` says why not more is reused (``Charge``).
    """

    cost_chars: int
    budget_chars: int
    messages: int
    appended: int
    evicted: int
    refs: int
    epoch: int = 0
    reused_chars: int = 0
    written_chars: int = 0
    modelled_cost: float = 0.0
    miss: Miss = ""


@dataclass(frozen=True, slots=True)
class Context:
    """What to send: the fixed part, the messages, and what the format could not carry.

    ``allowed_tools`` names the tools that this request may call, ``None`` all; the list of tools itself
    stays, so that it stays cached. ``breakpoints`` are places for cache markers (``cache_plan`` sets
    them), for providers that take any; the newest stands before the working memory.

    ``prompt_cache_key`` is the same for every request of the session, for providers that route by it.
    ``prefix_hash`` is of all that later requests of the epoch start with. ``not_carried`` names what the
    format or the endpoint has no place for; ``tools_sentence`` says to the model what ``allowed_tools``
    would, where the format has no such parameter.
    """

    system: Json
    tools: Json
    messages: list[Json]
    stats: Stats
    lost: tuple[Lost, ...] = ()
    allowed_tools: tuple[str, ...] | None = None
    breakpoints: tuple[Breakpoint, ...] = ()
    prompt_cache_key: str = ""
    prefix_hash: str = ""
    not_carried: tuple[str, ...] = ()
    tools_sentence: str = ""

    @property
    def etag(self) -> str:
        """A digest of exactly what is sent."""
        body = serialise([self.system, self.tools, self.messages])
        return hashlib.sha256(body.encode("utf-8", "surrogatepass")).hexdigest()[:32]
