"""What histories in memory may take, and how much they take."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Generic, Literal, Protocol, TypeVar

from compactor.archive import ObjectArchive
from compactor.cost import cost
from compactor.messages import Json

#: Why a history is let go: nobody asked for a while, too many of them, too large in all, or its tenant
#: is over its share.
Reason = Literal["idle", "count", "chars", "tenant"]


@dataclass(frozen=True, slots=True)
class Limits:
    """Histories ``most`` and their ``chars`` in all; ``ttl_s`` seconds without a request.

    ``tenant_share`` is what of both one tenant may take. Calls without a key have no tenant and no
    share: there, all that there is belongs to one owner.
    """

    most: int
    ttl_s: float
    chars: int
    tenant_share: float = 1.0

    def over_share(self, tenant: str, count: int, chars: int) -> bool:
        """Whether a tenant has more than its share."""
        if not tenant:
            return False
        most = max(1, int(self.tenant_share * self.most))
        return count > most or chars > self.tenant_share * self.chars


class Holding(Protocol):
    """A history, as far as it takes room. ``held_chars`` is what it takes, in characters."""

    tip: bytes
    held_chars: int


H = TypeVar("H", bound=Holding)


@dataclass(slots=True)
class Share(Generic[H]):
    """What one tenant has, the least recently used first. ``sizes`` are those that were counted."""

    held: OrderedDict[bytes, H] = field(default_factory=OrderedDict)
    sizes: dict[bytes, int] = field(default_factory=dict)
    chars: int = 0

    def put(self, one: H) -> None:
        """Add it as the newest."""
        self.held[one.tip] = one
        self.count(one)

    def count(self, one: H) -> None:
        """Take note of its size."""
        self.chars += one.held_chars - self.sizes.get(one.tip, 0)
        self.sizes[one.tip] = one.held_chars

    def take(self, tip: bytes) -> None:
        """Remove what stands there."""
        del self.held[tip]
        self.chars -= self.sizes.pop(tip)


class WeighedArchive(ObjectArchive):
    """An archive in memory that knows how many ``chars`` it holds."""

    def __init__(self) -> None:
        super().__init__()
        self.chars = 0

    def put(self, value: Json) -> str:
        kept = self.keep(value)
        if not kept.existed:
            self.chars += cost(value)
        return kept.ref
