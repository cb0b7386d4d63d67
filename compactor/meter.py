"""What a history costs, from what each message costs alone: appending never measures it all again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from operator import is_

from compactor import formats
from compactor.cost import cost, history_cost
from compactor.formats import openai_responses
from compactor.messages import Message

_SPARE = 64


class Meter:
    """Characters of messages in the dearest of some formats, remembered for messages seen before.

    The sum over single messages is never below the cost of the whole list: writers only join.
    """

    def __init__(self, names: Iterable[str], allowance: int = 0) -> None:
        """``allowance`` is added for each message: what a strict provider's rules may add to it."""
        self.names = tuple(dict.fromkeys(names))
        self._allowance = allowance
        self._known: dict[int, tuple[Message, int]] = {}
        self._summed: tuple[tuple[Message, ...], int] = ((), 1)

    def one(self, message: Message) -> int:
        """Characters that one message adds to a list, its comma included."""
        known = self._known.get(id(message))
        if known is not None and known[0] is message:
            return known[1]
        size = sum(
            max(_written(piece, name) for name in self.names) + self._allowance
            for piece in _pieces(message)
        )
        self._known[id(message)] = (message, size)
        return size

    def joined(self, made: Message, first: Message, second: Message) -> None:
        """``made`` is two items of one turn joined: it costs what they cost, and is not measured.

        They are forgotten: of a turn of n items, n messages of up to n blocks would be kept.
        """
        self._known[id(made)] = (made, self.one(first) + self.one(second))
        self._known.pop(id(first), None)
        self._known.pop(id(second), None)

    def total(self, history: Sequence[Message]) -> int:
        """An upper bound of the list's cost in every format, tight but for joined results.

        A list that starts with the one before it only costs what is new in it.
        """
        known, size = self._summed
        start = len(known)
        if len(history) < start or not all(map(is_, known, history)):
            start, size = 0, 1
        elif start == len(history):
            return size
        priced = self._known
        for message in history[start:]:
            known_price = priced.get(id(message))
            if known_price is not None and known_price[0] is message:
                size += known_price[1]
            else:
                size += self.one(message)
        self._summed = (tuple(history), size)
        return size

    def each(self, messages: Sequence[Message]) -> list[int]:
        """What a list costs in each format, measured anew."""
        return [history_cost(formats.write(messages, name)[0]) for name in self.names]

    def keep_only(self, history: Sequence[Message]) -> None:
        """Forget messages that have left, once they are more than those that stay."""
        if len(self._known) <= 2 * len(history) + _SPARE:
            return
        self._known = {
            id(message): self._known[id(message)]
            for message in history
            if id(message) in self._known
        }


def _pieces(message: Message) -> list[Message]:
    """What is priced alone: items that make up one turn come one by one, so that they can be joined."""
    if message.role != "assistant" or message.format != openai_responses.NAME:
        return [message]
    if len(message.blocks) == 1:
        return [message]
    return [replace(message, blocks=(b,), also=(), touched=True) for b in message.blocks]


def _written(message: Message, name: str) -> int:
    """As if each result stood alone, which is how some formats bring them back."""
    pieces = [message]
    if len(message.results) > 1:
        pieces = [replace(message, blocks=(block,), touched=True) for block in message.blocks]
    written = (entry for piece in pieces for entry in formats.write([piece], name)[0])
    return sum(cost(entry) + 1 for entry in written)
