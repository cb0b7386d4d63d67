"""Which messages leave together."""

from __future__ import annotations

from collections.abc import Sequence

from compactor.messages import Message


def turns(history: Sequence[Message]) -> list[range]:
    """Index ranges that leave together: an assistant message with the results that answer it."""
    made: list[range] = []
    start = 0
    for index in range(1, len(history) + 1):
        if index < len(history):
            message, before = history[index], history[index - 1]
            if message.results or (_has_server_tool(message) and _has_server_tool(before)):
                continue
        made.append(range(start, index))
        start = index
    return made if history else []


def _has_server_tool(message: Message) -> bool:
    # A server tool's result may stand in the assistant message after its call.
    return any(block.kind == "opaque" and block.id for block in message.blocks)
