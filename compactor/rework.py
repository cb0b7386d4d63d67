"""Steps that an owner asks for, as pure steps from state to state, so that a log can repeat them."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace

from compactor import formats
from compactor.clear import clear
from compactor.estimate import estimate_tokens
from compactor.messages import Message
from compactor.older import entries, put_summary
from compactor.report import Change
from compactor.state import Books, State, Tools


def history_tokens(history: Sequence[Message]) -> int:
    """Estimated tokens of what stands in the context now; no number that was reported before."""
    return estimate_tokens(formats.write(history, "openai-chat")[0])


def summary_step(
    state: State, covered: AbstractSet[int], text: str, ref: str, books: Books, tools: Tools
) -> tuple[State, list[Change], list[Message]] | None:
    """The state with a summary in place of the covered entries, and the messages that it replaces.

    ``None`` where a covered entry has left the history meanwhile.
    """
    history = put_summary(state.history, covered, text)
    if history is None:
        return None
    standing = {id(message) for message in history}
    gone = [message for message in state.history if id(message) not in standing]
    changes = [
        Change("summarise", seq, ref, tools.meter.one(message) // len(message.members), 0, "older")
        for message in gone
        for seq in sorted(entries([message]))
    ]
    books.note(changes, state.history, tools.archive)
    return replace(state, version=state.version + 1, history=tuple(history)), changes, gone


def clear_step(
    state: State, keep: int, exclude: Sequence[str], books: Books, tools: Tools
) -> tuple[State, list[Change]]:
    """The state with consumed results cleared."""
    history, changes = clear(state.history, keep=keep, exclude=exclude, archive=tools.archive)
    books.note(changes, state.history, tools.archive)
    return replace(state, version=state.version + 1, history=tuple(history)), changes
