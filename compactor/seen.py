"""Messages that need not be looked at again."""

from __future__ import annotations

from collections.abc import Sequence

from compactor.messages import Message

_SPARE = 64


class Seen:
    """A set of messages by identity. It keeps them alive, so that no other can take their place."""

    def __init__(self) -> None:
        self._known: dict[int, Message] = {}

    def __contains__(self, message: Message) -> bool:
        return id(message) in self._known

    def add(self, message: Message) -> None:
        self._known[id(message)] = message

    def keep_only(self, messages: Sequence[Message]) -> None:
        """Forget the others, once they are more than those that stay."""
        known = self._known
        if len(known) > 2 * len(messages) + _SPARE:
            self._known = {id(m): m for m in messages if id(m) in known}
