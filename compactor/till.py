"""The requests that a session has given out: each is charged after the one before it."""

from __future__ import annotations

import re
from collections import deque

from compactor.breaks import first_break
from compactor.charge import Charge, Miss, Sent, charge
from compactor.cost import serialise
from compactor.errors import PrefixBroken
from compactor.messages import Json
from compactor.policy import Policy
from compactor.state import State

#: What stands between the end of the newest entry and the working memory, by format.
_FRAME = re.compile(r'(?:,?\{"content":(?:\[\{"text":)?"|,?\{"text":"|\\n\\n)+$')
_FRAME_CHARS = 80
_COSTS = 64


def sent(state: State, parts: list[Json], note: str, *, model: str) -> Sent:
    """A request of [tools, system, messages] as one text, with the end of its stable part."""
    text = serialise(parts)
    stable = len(text) - len("]]")
    at = text.rfind(serialise(note)[1:-1]) if note else -1
    if at >= 0:
        start = max(0, at - _FRAME_CHARS)
        stable = start + len(_FRAME.sub("", text[start:at]))
    return Sent(state.version, text, stable, state.epoch.number, model)


class Till:
    """Remembers each format's newest request, and the one before, so that asking twice changes nothing."""

    def __init__(self) -> None:
        self._last: dict[str, tuple[Sent | None, Sent]] = {}
        #: Why the newest request reused no more; and what the newest ones cost, oldest first.
        self.miss: Miss = ""
        self.costs: deque[tuple[int, float]] = deque(maxlen=_COSTS)

    def charge(
        self, name: str, now: Sent, policy: Policy, *, idle_s: float = 0.0, asked: bool = True
    ) -> Charge:
        """The charge of ``now`` after the newest request of an earlier version.

        With ``asked`` it is a request that the next one is charged after.

        Raises:
            PrefixBroken: the policy checks the prefix, both are of one epoch, and the earlier one is no
                start of this one.
        """
        before: Sent | None = None
        if name in self._last:
            earlier, newest = self._last[name]
            before = earlier if newest.version == now.version else newest
        if policy.check_prefix and before is not None and before.epoch == now.epoch:
            found = first_break(before.text, now.text, stable_chars=before.stable_chars)
            if found is not None:
                raise PrefixBroken(
                    f"The {name} request at version {before.version} is not the start of the one at "
                    f"version {now.version}: {found}."
                )
        made = charge(before, now, policy.prices, idle_s=idle_s)
        if asked:
            self._last[name] = (before, now)
            self.miss = made.miss
            if self.costs and self.costs[-1][0] == now.version:
                self.costs.pop()
            self.costs.append((now.version, made.cost))
        return made
