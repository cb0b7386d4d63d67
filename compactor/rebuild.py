"""The two ways to end an epoch, and what each costs by the model.

*Local* rewrites the older part down to the policy's ``target_share``. *Full* makes a new, short context: what
must stay, the index of what has left, and the newest turns, down to ``full_share``. The model knows prices,
not what a fact in view is worth: so which way is taken is a policy, and by cost only with ``auto``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from compactor.epoch import Epoch
from compactor.prices import Prices

Rebuild = Literal["local", "full", "auto"]


@dataclass(frozen=True, slots=True)
class Way:
    """One way: the share of the room that it goes down to, and its modelled cost a request."""

    name: Literal["local", "full"]
    share: float
    cost: float


def keeping_cost(size: int, requests: int, prices: Prices) -> float:
    """What some requests read of a context that stays as it is."""
    return prices.read * size * requests


def compacting_cost(sizes: tuple[int, int], shared: int, requests: int, prices: Prices) -> float:
    """What as many requests cost if the context shrinks from one size to the other first.

    The first of them writes what is not ``shared`` with the context before; look-ups come on top.
    """
    before, after = sizes
    if requests < 1:
        return 0.0
    first = prices.read * shared + prices.write * (after - shared)
    looked_up = prices.look_ups(before - after, requests)
    return (
        first
        + prices.read * after * (requests - 1)
        + looked_up * prices.looked_up(after, prices.lookup_chars)
    )


def way(
    name: Literal["local", "full"], share: float, room: int, growth: int, prices: Prices
) -> Way:
    """A way with what each request of the epoch behind it costs on average.

    The epoch grows from ``share`` of the room until it is full, ``growth`` characters a request.
    """
    start = share * room
    requests = max(1, int((room - start) // max(1, growth)))
    average = (start + room) / 2
    rewriting = (prices.write - prices.read) * start / requests
    looked_up = prices.look_ups(room - average, 1) * prices.looked_up(average, prices.lookup_chars)
    return Way(name, share, prices.read * average + rewriting + looked_up)


def chosen(
    epoch: Epoch, room: int, prices: Prices, *, shares: tuple[float, float], rebuild: Rebuild
) -> Way:
    """The way that a policy takes; ``shares`` are of local and full. Equal costs: local."""
    growth = epoch.expected_growth(0.5)
    local = way("local", shares[0], room, growth, prices)
    full = way("full", shares[1], room, growth, prices)
    if rebuild == "auto":
        return full if full.cost < local.cost else local
    return full if rebuild == "full" else local
