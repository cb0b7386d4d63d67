"""Requests of agents: each one's history recognised, brought up to date and sent on compacted."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from api.proxy.conversation import Conversation
from api.proxy.conversations import Conversations
from api.proxy.dialect import Answer, Asked, Result, Said, Sent, Untouched
from api.proxy.hooks import NO_HOOKS, Hooks
from api.proxy.lookups import Lookups
from api.proxy.recognition import Trail, trail_of
from api.proxy.resumption import Behind, Resumptions
from api.proxy.sessions import Sessions, tools_of
from api.proxy.settings import ProxySettings
from api.proxy.turn import Passage, Turn
from api.threads import run_to_end
from compactor import Session
from compactor.errors import InvalidRequest
from compactor.messages import Json, JsonObject


class Turns:
    """Opens turns and moves them on. Of one history one at a time works on the session."""

    def __init__(self, settings: ProxySettings, hooks: Hooks = NO_HOOKS) -> None:
        self._most_rounds = settings.proxy_max_rounds
        self._note_report = hooks.note_report
        self._sessions = Sessions(settings, hooks.fold_html)
        self._known = Conversations(settings.held, note=hooks.note_forgotten, later=_later)
        self._resumptions = Resumptions(settings.proxy_sessions)

    async def open(self, passage: Passage) -> Turn:
        """The turn with the client's new messages in its session.

        Raises:
            Untouched: the request cannot be compacted.
            BudgetError: it cannot be made to fit.
        """
        seed = passage.identity.seed
        try:
            asked = passage.dialect.read(passage.body)
        except Untouched as untouched:
            instead = self._resumptions.resumed(seed, passage.dialect, passage.body)
            raise Untouched(untouched.reason, instead) from None
        if not all(isinstance(entry, dict) for entry in asked.entries):
            raise Untouched("unreadable")
        framing = [asked.system, *asked.fixed]
        trail = await run_to_end(lambda: trail_of(seed, asked.entries, framing))
        lookups = self._sessions.lookups(asked)
        while (found := self._known.find(trail.framed, trail.bare)) is not None:
            conversation, length = found
            async with conversation.lock:
                if not conversation.stands_at(trail.framed[length], trail.bare[length]):
                    continue  # another request of the same history was faster
                turn = Turn(passage, asked, lookups, conversation, trail, "continued")
                await self._continue(turn, asked.entries[length:])
                return turn
        return await self._begin(passage, asked, lookups, trail)

    async def _continue(self, turn: Turn, new: list[Json]) -> None:
        heard = False

        def run() -> None:
            nonlocal heard
            self._append(turn, new)
            heard = True

        try:
            await run_to_end(run)
        finally:
            if heard:
                # Of a client that has left, too: it may send the same again.
                self._known.keep(turn.conversation, turn.trail.framed, turn.trail.bare[-1])

    async def _begin(
        self, passage: Passage, asked: Asked, lookups: Lookups | None, trail: Trail
    ) -> Turn:
        history = "branched" if self._known.started(trail.framed) else "new"

        def run() -> Turn:
            session = self._sessions.begin(passage, asked, lookups)
            conversation = Conversation(session, b"", passage.identity.tenant)
            turn = Turn(passage, asked, lookups, conversation, trail, history)
            self._append(turn, asked.entries)
            return turn

        turn = await run_to_end(run)
        self._known.keep(turn.conversation, trail.framed, trail.bare[-1])
        return turn

    async def body(self, turn: Turn) -> JsonObject:
        """What is sent to the provider."""
        async with turn.conversation.lock:
            return await run_to_end(lambda: self._body(turn))

    async def answer(self, turn: Turn, answer: Answer) -> None:
        """Let the session hear an answer that calls the proxy's tools alone, and the results.

        When the client has moved on meanwhile, with another request, the turn goes on in a branch.
        """
        turn.rounds += 1
        while True:
            conversation = turn.conversation
            async with conversation.lock:
                if turn.is_newest:
                    await run_to_end(lambda: self._look_up(turn, answer))
                    self._known.grown(conversation)
                    return
            branch = await self._begin(turn.passage, turn.asked, turn.lookups, turn.trail)
            turn.conversation, turn.history = branch.conversation, branch.history

    async def close(self, turn: Turn, answer: Answer, said: Said) -> None:
        """The client gets this answer, in which it sees ``said``."""
        conversation = turn.conversation
        async with conversation.lock:
            if not turn.is_newest:
                return
            conversation.usage = answer.usage
            own = answer.own(turn.names)
            if not own and not turn.rounds:
                return
            results: tuple[Result, ...] = ()
            if own and turn.lookups is not None:
                lookups, session = turn.lookups, conversation.session
                results = await run_to_end(
                    lambda: tuple(lookups.answer(session, call) for call in own)
                )
                turn.lookups_answered += len(results)
            await run_to_end(lambda: conversation.give(answer, said, results))
            self._known.grown(conversation)
            if said.id:
                seed = turn.passage.identity.seed
                self._resumptions.remember(seed, said.id, Behind(answer.id, results))

    async def count(self, turn: Turn, answer: Answer) -> None:
        """What the provider counted for the answer, where it says so at the very end."""
        async with turn.conversation.lock:
            if turn.is_newest:
                turn.conversation.usage = answer.usage

    def _look_up(self, turn: Turn, answer: Answer) -> None:
        assert turn.lookups is not None
        conversation, dialect = turn.conversation, turn.passage.dialect
        conversation.usage = answer.usage
        results = [
            self._result(turn, turn.lookups, conversation.session, call)
            for call in answer.own(turn.names)
        ]
        # At once: where the results do not fit, no call stays behind that nobody answers.
        entries = [*answer.entries, *dialect.answered([], results)]
        conversation.private = True
        conversation.append(entries, dialect.format)
        turn.lookups_answered += len(results)

    def _append(self, turn: Turn, entries: list[Json]) -> None:
        """Append what is new of the client's history; an answer that it was shown in part, whole."""
        conversation, dialect = turn.conversation, turn.passage.dialect
        begun = dialect.begun(entries)
        if begun and conversation.given:
            given = conversation.given_as(dialect.said(entries[:begun]))
            if given is not None:
                rest: Sequence[Json] = entries[begun:]
                if given.results:
                    rest = dialect.answered(rest, given.results)
                entries = [*given.entries, *rest]
        try:
            report = conversation.append(entries, dialect.format)
        except InvalidRequest as error:
            raise Untouched("unreadable") from error
        if report is not None:
            conversation.given = []
            if self._note_report is not None:
                self._note_report(report.as_json())

    def _body(self, turn: Turn) -> JsonObject:
        passage, asked, conversation = turn.passage, turn.asked, turn.conversation
        context = conversation.context(passage.dialect.format)
        turn.sent = context.stats
        messages = [*asked.fixed, *context.messages, *asked.tail]
        tools = tools_of(passage.dialect, asked, turn.lookups)
        # Others may refuse a field that they do not know.
        key = context.prompt_cache_key if passage.upstream.name == "openai" else ""
        sent = Sent(messages, tools, key, context.breakpoints)
        return passage.dialect.write(passage.body, sent)

    def _result(self, turn: Turn, lookups: Lookups, session: Session, call: Json) -> Result:
        if turn.rounds >= self._most_rounds:
            return Result(
                call.id, "No more of these calls in this turn. Answer now.", is_error=True
            )
        return lookups.answer(session, call)


def _later(seconds: float, run: Callable[[], None]) -> None:
    asyncio.get_running_loop().call_later(seconds, run)
