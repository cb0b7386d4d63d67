"""The histories that the proxy knows, each with its session; the least recently used is forgotten."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Sequence

import structlog

from api.proxy.conversation import Conversation
from api.proxy.holding import Limits, Reason, Share

#: Between two looks for what is idle, in seconds, where a clock runs a little ahead of the other.
_LEAST_WAIT_S = 0.05

_log = structlog.get_logger("pagefold.proxy")
#: Runs something after so many seconds.
Later = Callable[[float, Callable[[], None]], object]


class Conversations:
    """Finds a history by the hashes of its prefixes, and lets the oldest go where there are too many.

    Over the limit in all, whoever has the most loses its oldest first; a tenant over its share loses its
    own. Idle ones go with the next request of anybody, and with ``later`` also without one.
    """

    def __init__(
        self,
        limits: Limits,
        *,
        clock: Callable[[], float] = time.monotonic,
        note: Callable[[Reason], None] | None = None,
        later: Later | None = None,
    ) -> None:
        self._limits, self._clock, self._note, self._later = limits, clock, note, later
        self._by_tip: OrderedDict[bytes, Conversation] = OrderedDict()
        self._by_bare: dict[bytes, Conversation] = {}
        self._shares: dict[str, Share[Conversation]] = {}
        self._starts: OrderedDict[bytes, None] = OrderedDict()
        self._waits = False

    def __len__(self) -> int:
        return len(self._by_tip)

    @property
    def held_chars(self) -> int:
        """What all of them take."""
        return sum(share.chars for share in self._shares.values())

    def find(
        self, chain: Sequence[bytes], bare: Sequence[bytes] = ()
    ) -> tuple[Conversation, int] | None:
        """The history that ends at the longest of these prefixes, and the prefix's length.

        Where there is none, the same by ``bare``, in which what the system says does not count; only one
        that knows nothing else than the prefix says: who asks is shown nothing of another's.
        """
        self.forget_idle()
        lengths = range(len(chain) - 1, 0, -1)
        for length in lengths:
            found = self._by_tip.get(chain[length])
            if found is not None:
                return found, length
        for length in lengths if bare else ():
            found = self._by_bare.get(bare[length])
            if found is not None and not found.private:
                return found, length
        return None

    def started(self, chain: Sequence[bytes]) -> bool:
        """Whether a history with this first message is known, so that this one is another branch."""
        return chain[1] in self._starts

    def keep(self, conversation: Conversation, chain: Sequence[bytes], bare: bytes = b"") -> None:
        """It now stands at the end of the chain; ``bare`` is that end without what the system says."""
        # Where one history was begun twice at once, the later stands for both.
        for known in (conversation, self._by_tip.get(chain[-1])):
            if known is not None and self._by_tip.get(known.tip) is known:
                self._drop(known)
        conversation.tip, conversation.touched = chain[-1], self._clock()
        self._by_tip[conversation.tip] = conversation
        conversation.bare = bare
        if bare:
            self._by_bare[bare] = conversation
        self._shares.setdefault(conversation.tenant, Share()).put(conversation)
        self._starts[chain[1]] = None
        self._starts.move_to_end(chain[1])
        while len(self._starts) > self._limits.most:
            self._starts.popitem(last=False)
        self._make_room(conversation.tenant)
        self._wait()

    def grown(self, conversation: Conversation) -> None:
        """It holds more or less than before."""
        if self._by_tip.get(conversation.tip) is conversation:
            self._shares[conversation.tenant].count(conversation)
            self._make_room(conversation.tenant)

    def forget_idle(self) -> None:
        """Let go of those that nobody has asked for."""
        oldest = self._clock() - self._limits.ttl_s
        while self._by_tip:
            first = next(iter(self._by_tip.values()))
            if first.touched > oldest:
                return
            self._forget(first, "idle")

    def _make_room(self, tenant: str) -> None:
        limits = self._limits
        while (share := self._shares.get(tenant)) is not None:
            if not limits.over_share(tenant, len(share.held), share.chars):
                break
            self._forget(next(iter(share.held.values())), "tenant")
        while len(self._by_tip) > limits.most:
            largest = max(self._shares.values(), key=lambda share: len(share.held))
            self._forget(next(iter(largest.held.values())), "count")
        while self.held_chars > limits.chars:
            largest = max(self._shares.values(), key=lambda share: share.chars)
            self._forget(next(iter(largest.held.values())), "chars")

    def _forget(self, conversation: Conversation, reason: Reason) -> None:
        self._drop(conversation)
        _log.info(
            "proxy_forgotten",
            session=conversation.id,
            tenant=conversation.tenant,
            reason=reason,
            chars=conversation.held_chars,
        )
        if self._note is not None:
            self._note(reason)

    def _drop(self, conversation: Conversation) -> None:
        del self._by_tip[conversation.tip]
        if self._by_bare.get(conversation.bare) is conversation:
            del self._by_bare[conversation.bare]
        share = self._shares[conversation.tenant]
        share.take(conversation.tip)
        if not share.held:
            del self._shares[conversation.tenant]

    def _wait(self) -> None:
        """Look again when the oldest is due."""
        if self._later is None or self._waits or not self._by_tip:
            return
        first = next(iter(self._by_tip.values()))
        due = first.touched + self._limits.ttl_s - self._clock()
        self._waits = True
        self._later(max(due, _LEAST_WAIT_S), self._look)

    def _look(self) -> None:
        self._waits = False
        self.forget_idle()
        self._wait()
