"""What a summariser answered, recorded live and given again when a log is replayed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from compactor.errors import LogCorrupt
from compactor.kit import Ask
from compactor.messages import JsonObject
from compactor.summarise import Reply, SummaryRequest


@dataclass(slots=True)
class Recorder:
    """Passes requests on and keeps the replies, so that a replay needs no summariser."""

    ask: Ask
    replies: list[Reply] = field(default_factory=list)

    def __call__(self, request: SummaryRequest) -> Reply:
        reply = self.ask(request)
        self.replies.append(reply)
        return reply

    def taken(self) -> list[Reply]:
        """The replies since the last time."""
        made, self.replies = self.replies, []
        return made


class Player:
    """Gives recorded replies in their order.

    Raises:
        LogCorrupt: more is asked for than was recorded.
    """

    def __init__(self, replies: Sequence[JsonObject]) -> None:
        self._left = [Reply(one["text"], one["by"], tuple(one["notes"])) for one in replies]

    def __call__(self, request: SummaryRequest) -> Reply:
        if not self._left:
            raise LogCorrupt("The log lacks a summary that an append was made with.")
        return self._left.pop(0)


def as_json(replies: Sequence[Reply]) -> list[JsonObject]:
    """Replies as they stand in a log."""
    return [{"text": one.text, "by": one.by, "notes": list(one.notes)} for one in replies]
