"""When an epoch ends before its budget is passed.

Four reasons, each by the numbers of the session alone, so that a replay decides alike: there would be no
room for the next answer and its results; carrying the long history would cost more than a compaction and
reading the new prefix; much of the history says the same twice; or a value in view was replaced, and carrying
the history has come to cost what a compaction does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from compactor.epoch import Epoch
from compactor.errors import InvalidRequest
from compactor.prices import Prices

Reason = Literal["", "reserve", "break_even", "repeated", "stale"]


@dataclass(frozen=True, slots=True)
class Triggers:
    """Thresholds of the early ends of an epoch; shares are of the room for the history.

    Attributes:
        from_share: below this share neither ``reserve`` nor ``break_even`` ends an epoch.
        output_chars: room kept for the model's answer, beside what the session's own turns say.
        reserve_most_share: the most that is kept for the next answer and its results.
        growth_turns, growth_quantile: the next turn is taken to be as large as this quantile of so many
            newest ones.
        break_even: whether cost alone may end an epoch.
        break_even_factor: by so much carrying on must be dearer: the session may end before it pays.
        stale_factor: where a value in view was replaced since, carrying on needs to be dearer only by this.
        repeated_share: share of the history that repeats later results; over it they are folded.
        repeated_from_share: below this share of the room nothing is folded for it.
        least_gain_share: an early compaction that gains less opens the circuit.
    """

    enabled: bool = True
    from_share: float = 0.98
    output_chars: int = 0
    reserve_most_share: float = 0.02
    growth_turns: int = 8
    growth_quantile: float = 0.5
    break_even: bool = True
    break_even_factor: float = 1.25
    stale_factor: float = 1.0
    repeated_share: float = 0.3
    repeated_from_share: float = 0.5
    least_gain_share: float = 0.05

    def __post_init__(self) -> None:
        shares = ("from_share", "reserve_most_share", "growth_quantile", "repeated_share")
        for name in (*shares, "repeated_from_share", "least_gain_share"):
            if not 0 <= getattr(self, name) <= 1:
                raise InvalidRequest(f"{name} must lie in [0, 1].", field=f"triggers.{name}")
        if self.stale_factor <= 0:
            raise InvalidRequest("stale_factor must be over 0.", field="triggers.stale_factor")
        if self.output_chars < 0 or self.growth_turns < 1 or self.break_even_factor < 1:
            raise InvalidRequest(
                "output_chars must be at least 0, growth_turns and break_even_factor at least 1.",
                field="triggers",
            )


def reserve_chars(epoch: Epoch, triggers: Triggers, room: int) -> int:
    """Characters to keep free for the next answer and its results."""
    wanted = triggers.output_chars + epoch.expected_growth(triggers.growth_quantile)
    return min(wanted, int(triggers.reserve_most_share * room))


def rewriting_cost(target: int, size: int, prices: Prices, *, requests: int) -> float:
    """What a compaction from ``size`` to ``target`` characters costs over some requests behind it.

    The new prefix is written once, where the old one would only have been read; what is out of view is
    looked up now and then. The context grows back, so half of it is out of view on average.
    """
    looked_up = prices.look_ups((size - target) / 2, requests)
    return (prices.write - prices.read) * target + looked_up * prices.looked_up(
        target, prices.lookup_chars
    )


def carrying_cost(epoch: Epoch, size: int, prices: Prices) -> float:
    """What as many requests again as the epoch has had would cost more at ``size`` than they did."""
    return prices.read * (epoch.requests * size - epoch.carried)


def reason(
    epoch: Epoch,
    size: int,
    *,
    room: int,
    repeated: int,
    target: int,
    rules: tuple[Triggers, Prices],
) -> Reason:
    """Why the epoch should end now, with a history of ``size`` characters; empty while it should not.

    The rule of cost is that of replacement: an epoch is as long as is cheapest for each request when
    it ends as soon as the next request costs more than the average one, its start included.
    """
    triggers, prices = rules
    if not triggers.enabled:
        return ""
    if size >= triggers.repeated_from_share * room and repeated > triggers.repeated_share * size:
        return "repeated"
    if size < triggers.from_share * room:
        return ""
    if size + reserve_chars(epoch, triggers, room) > room:
        return "reserve"
    if triggers.break_even and _pays(epoch, size, target, triggers.break_even_factor, prices):
        return "break_even"
    return ""


def stale_is_due(epoch: Epoch, size: int, target: int, rules: tuple[Triggers, Prices]) -> bool:
    """Whether an epoch in which values were replaced should end now, if one of them is in view."""
    triggers, prices = rules
    if not triggers.enabled or not epoch.outdated:
        return False
    return _pays(epoch, size, target, triggers.stale_factor, prices)


def _pays(epoch: Epoch, size: int, target: int, factor: float, prices: Prices) -> bool:
    if size <= target:
        return False
    rewriting = rewriting_cost(target, size, prices, requests=epoch.requests)
    return carrying_cost(epoch, size, prices) > factor * rewriting
