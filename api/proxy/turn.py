"""One request of an agent on its way."""

from __future__ import annotations

from dataclasses import dataclass

from api.proxy.conversation import Conversation
from api.proxy.dialect import Asked, Dialect
from api.proxy.lookups import Lookups
from api.proxy.recognition import Identity, Trail
from api.proxy.upstreams import Upstream
from compactor.context import Stats
from compactor.messages import JsonObject


@dataclass(frozen=True, slots=True)
class Passage:
    """What is known of a request before its history: where it goes and in which API it speaks."""

    upstream: Upstream
    dialect: Dialect
    identity: Identity
    body: JsonObject


@dataclass(slots=True)
class Turn:
    """A request under way. ``history`` is ``new``, ``continued`` or ``branched``; sizes in characters."""

    passage: Passage
    asked: Asked
    lookups: Lookups | None
    conversation: Conversation
    trail: Trail
    history: str
    sent: Stats | None = None
    rounds: int = 0
    lookups_answered: int = 0

    @property
    def names(self) -> frozenset[str]:
        """Names of the proxy's tools in this request."""
        return self.lookups.names if self.lookups is not None else frozenset()

    @property
    def is_newest(self) -> bool:
        """Whether the client has not moved on meanwhile, with another request."""
        return self.conversation.tip == self.trail.framed[-1]

    @property
    def facts(self) -> dict[str, str]:
        """What the answer's headers say."""
        made = {"session": self.conversation.id, "history": self.history}
        if (sent := self.sent) is not None:
            made["epoch"] = str(sent.epoch)
            made["chars"] = (
                f"before={self.trail.chars}, after={sent.cost_chars}, budget={sent.budget_chars}"
            )
            made["prefix"] = f"reused={sent.reused_chars}, written={sent.written_chars}"
            made["cost"] = f"{sent.modelled_cost:.0f}"
        return made
