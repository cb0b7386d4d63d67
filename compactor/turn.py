"""The turn that is open: calls of the assistant's newest message, and which of them wait for a result.

It is followed from message to message, so that a turn of n results that arrive one by one costs n steps,
not n squared.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence

from compactor.messages import Block, Message


class OpenTurn:
    """Mutable, and derived from a history: ``follow`` builds it anew from any.

    Attributes:
        calls: the turn's calls by the ids that the caller knows; empty once all have their result.
        waiting: calls without a result, in order, by their own ids.
        behind: messages from the assistant's to the end of the history, itself included.
    """

    def __init__(self) -> None:
        self.calls: dict[str, Block] = {}
        self.waiting: dict[str, Block] = {}
        self.behind = 0
        self._named: dict[str, deque[str]] = {}

    def start(self, calls: Iterable[Block]) -> None:
        """The assistant has spoken: its message is the newest."""
        self.calls, self.waiting, self._named = {}, {}, {}
        self.behind = 1
        self.extend(calls)

    def extend(self, calls: Iterable[Block]) -> None:
        """The assistant's newest message has got more calls."""
        for call in calls:
            self.calls[call.alias or call.id] = call
            self.waiting[call.id] = call
            for name in dict.fromkeys((call.id, call.alias)):
                self._named.setdefault(name, deque()).append(call.id)

    def passed(self) -> None:
        """Another message stands behind the assistant's."""
        self.behind += 1

    def take(self, name: str) -> Block | None:
        """The first waiting call that is known by ``name``; it waits no more. Constant, amortised."""
        line = self._named.get(name, deque())
        while line:
            call = self.waiting.pop(line.popleft(), None)
            if call is not None:
                return self._taken(call)
        return None

    def take_next(self) -> Block | None:
        """The first waiting call; it waits no more."""
        first = next(iter(self.waiting), None)
        return None if first is None else self._taken(self.waiting.pop(first))

    def close(self) -> list[str]:
        """Ids of the calls that wait; none does afterwards."""
        ids = list(self.waiting)
        self.calls, self.waiting, self._named = {}, {}, {}
        return ids

    def _taken(self, call: Block) -> Block:
        if not self.waiting:
            self.calls, self._named = {}, {}
        return call

    def follow(self, history: Sequence[Message]) -> None:
        """Become the open turn of a history. Linear in the turn."""
        self.start(())
        for index in range(len(history) - 1, -1, -1):
            message = history[index]
            if message.role == "assistant":
                self.extend(message.calls)
                self.behind = len(history) - index
                for later in history[index + 1 :]:
                    for result in later.results:
                        self.take(result.id)
                return
            if not message.results:
                return


def open_turn(history: Sequence[Message]) -> OpenTurn:
    """The open turn of a history, found from its end."""
    found = OpenTurn()
    found.follow(history)
    return found
