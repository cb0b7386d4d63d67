"""From a turn to the client's answer: the model is asked, its calls of our tools are answered, and again."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace

import httpx2
import structlog
from starlette.types import Send

from api.proxy import sse
from api.proxy.dialect import Answer, Relay
from api.proxy.exchange import Exchange, Target, chunks, packed
from api.proxy.passing import begin, begin_stream, cut, part, relay
from api.proxy.settings import ProxySettings
from api.proxy.turn import Turn
from api.proxy.turns import Turns
from api.threads import run_to_end
from compactor.errors import CompactorError
from compactor.messages import Json, JsonObject
from extractor.errors import ExtractorError

_log = structlog.get_logger("pagefold.proxy")


class LookupsExhausted(ExtractorError):
    """The model goes on to call the proxy's tools, though it was told that there are no more answers."""

    code = "lookups_exhausted"


class UnreadableAnswer(ExtractorError):
    """The provider's answer is none of its API, and the answers before it were given in part."""

    code = "unreadable_answer"
    retryable = True


class Answering:
    """Asks a provider until an answer is the client's."""

    def __init__(self, settings: ProxySettings, exchange: Exchange, turns: Turns) -> None:
        self._exchange, self._turns = exchange, turns
        self._most_rounds = settings.proxy_max_rounds
        self._most_bytes = settings.proxy_max_answer_bytes

    async def answer(self, turn: Turn, target: Target, send: Send) -> None:
        """Send the client its answer.

        Raises:
            ExtractorError, CompactorError: before anything was sent.
        """
        response = await self._ask(turn, target)
        try:
            kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
            if response.status_code == 200 and kind == "text/event-stream":
                await self._streamed(turn, target, response, send)
            elif response.status_code == 200 and kind == "application/json":
                await self._whole(turn, target, response, send)
            else:
                await relay(response, turn.facts, send)
            self._note(turn, response.status_code)
        finally:
            await response.aclose()

    async def _ask(self, turn: Turn, target: Target) -> httpx2.Response:
        body = await self._turns.body(turn)
        return await self._exchange.send(target, await run_to_end(lambda: packed(body)))

    async def _again(
        self, turn: Turn, answer: Answer, target: Target, before: httpx2.Response
    ) -> httpx2.Response:
        """What the model says to the results of the look-ups in its answer."""
        await self._turns.answer(turn, answer)
        await before.aclose()
        return await self._ask(turn, target)

    async def _whole(
        self, turn: Turn, target: Target, response: httpx2.Response, send: Send
    ) -> None:
        bodies = list[JsonObject]()
        try:
            while True:
                raw = await self._exchange.whole(response)
                body = _object(raw)
                try:
                    answer = turn.passage.dialect.answer(body)
                except ValueError as error:
                    _log.info("proxy_unreadable_answer", provider=turn.passage.upstream.name)
                    if bodies:
                        raise UnreadableAnswer(
                            "The provider's answer behind a look-up cannot be read, and what the model "
                            "said before is no whole answer. Send the request again."
                        ) from error
                    await self._send_whole(raw, response, turn.facts, send)
                    return
                bodies.append(body)
                if not self._goes_on(turn, answer):
                    break
                response = await self._again(turn, answer, target, response)
                if response.status_code != 200:
                    # The client sends its request again, and finds the model where it is now.
                    await relay(response, turn.facts, send)
                    return
            shown = await self._closed(turn, answer, bodies)
            facts = {**turn.facts, "lookups": str(turn.lookups_answered)}
            await self._send_whole(raw if shown is None else packed(shown), response, facts, send)
        finally:
            await response.aclose()

    async def _closed(
        self, turn: Turn, answer: Answer, bodies: Sequence[JsonObject]
    ) -> JsonObject | None:
        """What the client gets for all of these; ``None`` if that is the last as it is."""
        dialect = turn.passage.dialect
        changed = len(bodies) > 1 or any(call.name in turn.names for call in answer.calls)
        shown = dialect.merged(bodies, turn.names) if changed else bodies[-1]
        said = replace(dialect.said(dialect.answer(shown).entries), id=answer.id)
        await self._turns.close(turn, answer, said)
        return shown if changed else None

    async def _send_whole(
        self, body: bytes, response: httpx2.Response, facts: Mapping[str, str], send: Send
    ) -> None:
        await begin(response, facts, send, length=len(body))
        await part(body, send, more=False)

    async def _streamed(
        self, turn: Turn, target: Target, response: httpx2.Response, send: Send
    ) -> None:
        events = turn.passage.dialect.relay(turn.names)
        await begin_stream(response, turn.facts, send)
        try:
            while True:
                answer = await self._relayed(turn, events, response, send)
                if not self._goes_on(turn, answer):
                    break
                response = await self._again(turn, answer, target, response)
                if response.status_code != 200:
                    await part(await self._failure(events, response), send)
                    await part(b"", send, more=False)
                    return
                events.begin()
            await self._turns.count(turn, answer)
            await part(b"", send, more=False)
        except (ExtractorError, CompactorError) as error:
            if turn.rounds:
                # The client waits in the middle of an answer that the provider has ended.
                await part(events.failure(error.code, error.message), send)
                await part(b"", send, more=False)
            cut(error)
        finally:
            await response.aclose()

    async def _relayed(
        self, turn: Turn, events: Relay, response: httpx2.Response, send: Send
    ) -> Answer:
        known = False
        async with aclosing(sse.split(chunks(response), self._most_bytes)) as split:
            async for event in split:
                shown = events.feed(event)
                if events.complete and not known:
                    known, answer = True, events.answer()
                    if not self._goes_on(turn, answer):
                        # Before the client hears that it is its turn: it may be faster than we are.
                        await self._turns.close(turn, answer, events.said())
                if shown:
                    await part(shown, send)
        return events.answer()

    async def _failure(self, events: Relay, response: httpx2.Response) -> bytes:
        """A provider's refusal as an event, since the answer has begun."""
        body = _object(await self._exchange.whole(response))
        error = body.get("error")
        given = error if isinstance(error, dict) else {}
        code = str(given.get("type") or given.get("code") or f"status_{response.status_code}")
        message = str(given.get("message") or f"The provider answered {response.status_code}.")
        return events.failure(code, message)

    def _goes_on(self, turn: Turn, answer: Answer) -> bool:
        """Whether the model is asked again. Raises LookupsExhausted past the limit."""
        if not answer.goes_on(turn.names):
            return False
        if turn.rounds >= self._most_rounds:
            raise LookupsExhausted(
                f"The model called the proxy's tools more than {self._most_rounds} times "
                "(setting PAGEFOLD_PROXY_MAX_ROUNDS)."
            )
        return True

    def _note(self, turn: Turn, status: int) -> None:
        _log.info(
            "proxied",
            provider=turn.passage.upstream.name,
            session=turn.conversation.id,
            history=turn.history,
            status=status,
            lookups=turn.lookups_answered,
            chars_before=turn.trail.chars,
            chars_after=turn.sent and turn.sent.cost_chars,
            epoch=turn.sent and turn.sent.epoch,
        )
        if warning := turn.conversation.cache_warning():
            _log.warning("proxy_cache", session=turn.conversation.id, warning=warning)


def _object(raw: bytes) -> Json:
    try:
        body = json.loads(raw)
    except (ValueError, RecursionError):
        return {}
    return body if isinstance(body, dict) else {}
