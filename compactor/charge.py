"""What one request reuses of the one before it, what it writes, and what both cost by the model."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Literal

from compactor.plan import shared_start
from compactor.prices import Prices

Miss = Literal["", "first", "idle", "model", "changed", "short"]


@dataclass(frozen=True, slots=True)
class Sent:
    """A request as one text: the fixed part, then the messages in the outgoing serialisation.

    ``stable_chars`` of it stand before the floating working memory, which no request reuses;
    ``tokens_per_char`` turns sizes into tokens for the cache's rules.
    """

    version: int
    text: str
    stable_chars: int
    epoch: int = 0
    model: str = ""
    tokens_per_char: float = 0.4

    @property
    def prefix_hash(self) -> str:
        """A digest of the part that later requests of the epoch start with."""
        stable = self.text[: self.stable_chars]
        return hashlib.sha256(stable.encode("utf-8", "surrogatepass")).hexdigest()[:32]


@dataclass(frozen=True, slots=True)
class Charge:
    """Sizes in characters, cost in plain input characters.

    ``reused_chars`` come from the provider's cache, ``written_chars`` do not. ``miss`` says why less
    is reused than the request before had to give: it is the ``first``, the cache has expired (``idle``),
    the ``model`` is another, the prefix has ``changed``, or it is too ``short`` to be cached.
    """

    reused_chars: int = 0
    written_chars: int = 0
    cost: float = 0.0
    miss: Miss = ""


def charge(before: Sent | None, now: Sent, prices: Prices, *, idle_s: float = 0.0) -> Charge:
    """The charge of a request after another, ``idle_s`` seconds later. Linear in the request.

    Idle time past the cache's expiry and another model are full misses.
    """
    miss: Miss = ""
    shared = 0
    if before is None:
        miss = "first"
    elif idle_s > prices.expiry_s:
        miss = "idle"
    elif before.model != now.model:
        miss = "model"
    else:
        shared = min(shared_start(before.text, now.text), before.stable_chars, now.stable_chars)
        if shared < before.stable_chars:
            miss = "changed"
    reused = round(prices.cached_tokens(shared * now.tokens_per_char) / now.tokens_per_char)
    if shared and not reused:
        miss = "short"
    taken_in = max(0, now.stable_chars - reused)
    plain = len(now.text) - reused - taken_in
    if now.stable_chars * now.tokens_per_char < prices.minimum_tokens:
        plain, taken_in = plain + taken_in, 0  # nothing so short is taken into the cache
    cost = prices.read * reused + prices.write * taken_in + prices.plain * plain
    return Charge(reused, len(now.text) - reused, round(cost, 3), miss)
