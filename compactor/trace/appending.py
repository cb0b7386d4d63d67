"""What an append brings to the trace: evidence that its results offer, in the same entry of the log."""

from __future__ import annotations

from collections.abc import Sequence

from compactor.books import Books
from compactor.errors import CompactorError
from compactor.log import Entry
from compactor.messages import Block, JsonObject, Message
from compactor.state import State
from compactor.trace.claiming import claim
from compactor.trace.draft import Draft
from compactor.trace.observing import observe
from compactor.trace.tracing import Tracing, refs_in

#: Messages before the newest that may hold the calls whose results come now.
_BEHIND = 4


class Appending(Tracing):
    """The part of a session that looks at what is appended."""

    def _offered(self, messages: Sequence[Message], books: Books) -> tuple[Draft, list[str]]:
        """What messages offer, and what could not be written; enters their originals in ``books``.

        All stand with the newest message: what they change is in view behind all of them, in a replay too.
        An archive that fails here takes no message with it: the original is in the context.
        """
        turn = self._state.memory.turn
        draft = Draft(self._trace, self.policy.trace, turn=turn, seq=self._state.version)
        if not self.policy.trace.extract:
            return draft, []
        calls = {id: call for m in self._state.history[-_BEHIND:] for id, call in _calls(m)}
        failed = list[str]()
        draft.seq += max(0, len(messages) - 1)
        for at, message in enumerate(messages):
            calls.update(_calls(message))
            draft.turn += message.role == "assistant"
            try:
                observe(draft, message, calls, self.archive)
            except CompactorError as error:
                failed.append(
                    f"evidence of message {self._state.version + at} was not proposed: {error.message}"
                )
                break
        books.refs.update(dict.fromkeys(refs_in(draft.events)))
        return draft, failed

    def _claimed(self, after: State, draft: Draft | None = None) -> list[JsonObject]:
        """The draft's events, with those of the summaries that are new in a state."""
        if draft is None:
            turn = after.memory.turn
            draft = Draft(self._trace, self.policy.trace, turn=turn, seq=self._state.version)
        if self.policy.trace.extract and after.epoch.number != self._state.epoch.number:
            claim(draft, self._state.history, after.history)
        return draft.events


def noted_in(entry: Entry) -> list[JsonObject]:
    """The events that an entry of the log holds."""
    held = entry.body.get("events" if entry.kind == "trace" else "trace", ())
    return list(held)


def _calls(message: Message) -> list[tuple[str, Block]]:
    return [(id, call) for call in message.calls for id in (call.id, call.alias) if id]
