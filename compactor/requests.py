"""What the user asks for: which request is open, and which were answered before it came."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from compactor.messages import Block, Message

_MARK = "pagefold:done"
DONE = "[the request above was answered and is done; what followed it is in the archive]"

# Words that ask for nothing new. Data, not grammar: a longer message is always a request of its own.
_GO_ON = frozenset(
    "continue|go on|go ahead|proceed|carry on|keep going|next|yes|ok|okay|please continue|please go on"
    "|weiter|mach weiter|continue please|continuez|continua|continúa|sigue|继续|請繼續|请继续|続けて"
    "|続けてください|계속|계속해".split("|")
)


@dataclass(frozen=True, slots=True)
class Requests:
    """Places in the history: the open request (-1: none), and those that were answered."""

    active: int = -1
    done: tuple[int, ...] = ()


def requests(history: Sequence[Message]) -> Requests:
    """Which user messages ask for something, by role and place alone; no model is asked. Linear.

    A request is done when the assistant has answered it without a call and the user then asked for
    something else. "go on" and the like go on with the request before them.
    """
    active, answered = -1, False
    done: list[int] = []
    for index, message in enumerate(history):
        if message.role == "assistant":
            answered = not message.calls
        elif is_done_mark(message):
            answered = True
        elif message.role == "user" and message.seq >= 0 and not message.results:
            if active >= 0 and _goes_on(message):
                continue
            if active >= 0 and answered:
                done.append(active)
            active, answered = index, False
    return Requests(active, tuple(done))


def _goes_on(message: Message) -> bool:
    said = " ".join(block.text for block in message.blocks if block.kind == "text")
    return " ".join(said.casefold().split()).strip(" .!…。！") in _GO_ON


def done_mark() -> Message:
    """What stands behind a kept request whose answer has left."""
    return Message("user", (Block("text", text=DONE, name=_MARK),))


def is_done_mark(message: Message) -> bool:
    """Whether a message is such a mark, made here."""
    return message.seq < 0 and any(block.name == _MARK for block in message.blocks)
