"""The budget B of a session's epoch: from tokens to characters once, at the estimate's upper bound.

Within an epoch all comparisons stay in characters. It ends when the history passes B, or when what it
holds by then would pass the tokens that B stands for, because its script or its form has changed. The next
B comes from the history as it stands and from what the provider last reported.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from operator import is_
from typing import TYPE_CHECKING

from compactor.estimate import Estimate, estimate_json, estimate_message
from compactor.gauge import Gauge, reported_tokens
from compactor.messages import Json, Message
from compactor.rates import family_of

if TYPE_CHECKING:
    from compactor.policy import Policy

#: What a calibrated estimate may still be off, as a share.
_CALIBRATED_MARGIN = 0.1
#: The least share of the window that messages get, whatever a provider has reported.
_LEAST_SHARE = 0.2
_SPARE = 64


@dataclass(frozen=True, slots=True)
class Budget:
    """B of the running epoch in characters, and what a provider's reports say for the next."""

    chars: int
    gauge: Gauge = field(default_factory=Gauge)


class TokenMeter:
    """Estimated tokens of messages, remembered for those seen before, and the room that they have."""

    def __init__(self, policy: Policy, system: Json, tools: Json) -> None:
        self.fixed_chars = policy.fixed_chars
        self._policy = policy
        self._family = family_of(policy.model)
        self._fixed = fixed_tokens(system, tools, self._family)
        self._known: dict[int, tuple[Message, Estimate]] = {}
        self._summed: tuple[tuple[Message, ...], Estimate] = ((), Estimate())

    def total(self, history: Sequence[Message]) -> Estimate:
        """Of a history. One that starts with the one before it only costs what is new in it."""
        known, made = self._summed
        start = len(known)
        if len(history) < start or not all(map(is_, known, history)):
            start, made = 0, Estimate()
        for message in history[start:]:
            made += self._one(message)
        self._summed = (tuple(history), made)
        self._keep_only(history)
        return made

    def joined(self, made: Message, first: Message, second: Message) -> None:
        """``made`` is two items of one turn joined: it has their tokens, and is not estimated anew."""
        if self.fixed_chars is None:
            self._known[id(made)] = (made, self._one(first) + self._one(second))
            self._known.pop(id(first), None)
            self._known.pop(id(second), None)

    def request(self, history: Sequence[Message]) -> float:
        """Best estimate of a whole request: the fixed part and the history."""
        return self._fixed.best + self.total(history).best

    def most(self, history: Sequence[Message], gauge: Gauge) -> float:
        """Tokens of a history at the upper bound; closer to the best once a provider has reported."""
        total = self.total(history)
        if not gauge.known:
            return total.upper
        return total.best * gauge.scale * (1 + _CALIBRATED_MARGIN)

    def room(self, gauge: Gauge) -> float:
        """Tokens of the window that are left for messages."""
        policy = self._policy
        fixed = self._fixed.best * gauge.scale if gauge.known else self._fixed.upper
        left = policy.window_tokens - fixed - gauge.unseen - policy.output_reserve_tokens
        return max(left, _LEAST_SHARE * policy.window_tokens) * (1 - policy.safety_share)

    def _one(self, message: Message) -> Estimate:
        known = self._known.get(id(message))
        if known is not None and known[0] is message:
            return known[1]
        made = estimate_message(message, self._family)
        self._known[id(message)] = (message, made)
        return made

    def _keep_only(self, history: Sequence[Message]) -> None:
        if len(self._known) > 2 * len(history) + _SPARE:
            kept = [id(message) for message in history]
            self._known = {key: self._known[key] for key in kept if key in self._known}


def fixed_tokens(system: Json, tools: Json, family: str = "") -> Estimate:
    """Estimated tokens of what every request carries beside the messages."""
    parts = (estimate_json(part, family) for part in (system, tools) if part)
    return sum(parts, Estimate())


def heard(budget: Budget, usage: Json, history: Sequence[Message], meter: TokenMeter) -> Budget:
    """The budget with a provider's report about the request that held ``history``.

    B itself stays as it is until the epoch ends.
    """
    reported = reported_tokens(usage)
    if reported is None or meter.fixed_chars is not None:
        return budget
    return replace(budget, gauge=budget.gauge.noted(meter.request(history), reported))


def due(
    budget: Budget, history: Sequence[Message], meter: TokenMeter, *, cost: int, room: int
) -> Budget:
    """The budget that this history asks for: the same while its epoch lasts, else a new one.

    ``cost`` is the history's, ``room`` what of B is left for it, both in characters.
    """
    if meter.fixed_chars is not None:
        return budget
    tokens = meter.most(history, budget.gauge)
    most = meter.room(budget.gauge)
    if cost <= room and tokens * budget.chars <= most * room:
        return budget
    return replace(budget, chars=max(1, int(most * cost / max(1.0, tokens))))
