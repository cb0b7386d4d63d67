"""Streams of Chat Completions, several of them given out as one answer."""

from __future__ import annotations

from collections.abc import Callable, Collection

from api.proxy import sse
from api.proxy.chat_calls import Calls
from api.proxy.dialect import Answer, Said, summed
from compactor.messages import Json, JsonObject

AnswerOf = Callable[[JsonObject, Json, Json], Answer]
#: Fields of a delta whose pieces make up one text; vendors have their own for reasoning.
_GROWS = ("content", "reasoning_content", "reasoning", "refusal")


class ChatRelay:
    """Shows the client all but calls of the proxy's tools, under the id that the first stream has."""

    def __init__(self, names: Collection[str], answer_of: AnswerOf) -> None:
        self._names, self._answer_of = names, answer_of
        self._rounds = 0
        self._id: Json = None
        self._text = ""
        self._before: Json = None
        self._usage: Json = None
        self._message: JsonObject = {}
        self.begin()

    @property
    def complete(self) -> bool:
        return self._finish is not None

    def begin(self) -> None:
        self._rounds += 1
        self._before = summed(self._before, self._usage)
        self._text += str(self._message.get("content") or "")
        self._message = {"role": "assistant"}
        self._calls = Calls(self._names)
        self._usage = None
        self._finish: Json = None

    def feed(self, event: bytes) -> bytes:
        read = sse.read(event)
        if read.done:
            return b"" if self._goes_on() else event
        data = read.data
        if data is None:
            return event
        changes = self._renamed(data)
        if isinstance(data.get("usage"), dict):
            self._usage = data["usage"]
            if self._before is not None:
                changes["usage"] = summed(self._before, self._usage)
        choices = data.get("choices")
        if isinstance(choices, list) and choices and isinstance(choices[0], dict):
            choice = self._choice(choices[0])
            if choice is None:
                return b""
            if choice is not choices[0]:
                changes["choices"] = [choice]
        elif self._goes_on():
            return b""  # the chunk with the usage
        return read.changed({**data, **changes}) if changes else event

    def answer(self) -> Answer:
        message = dict(self._message)
        if calls := self._calls.whole():
            message["tool_calls"] = calls
        return self._answer_of(message, self._finish, self._usage)

    def said(self) -> Said:
        answer = self.answer()
        calls = {call.id for call in answer.others(self._names)}
        return Said(frozenset(calls), self._text + answer.text)

    def failure(self, code: str, message: str) -> bytes:
        return sse.written({"error": {"message": message, "type": code, "code": code}})

    def _renamed(self, data: JsonObject) -> JsonObject:
        self._id = self._id or data.get("id")
        return {} if self._rounds == 1 or "id" not in data else {"id": self._id}

    def _choice(self, choice: JsonObject) -> JsonObject | None:
        """What is shown of a choice: itself if it is all of it, ``None`` if nothing is."""
        delta = choice.get("delta")
        finish = choice.get("finish_reason")
        self._finish = finish or self._finish
        if not isinstance(delta, dict):
            return choice
        for field in _GROWS:
            if isinstance(delta.get(field), str):
                self._message[field] = str(self._message.get(field) or "") + delta[field]
        shown = dict(delta)
        if self._rounds > 1:
            # Clients put the pieces of every field together.
            shown.pop("role", None)
        calls = delta.get("tool_calls")
        if isinstance(calls, list):
            pieces = [(call, self._calls.feed(call)) for call in calls]
            kept = [made for call, made in pieces if made is not None or call is None]
            shown["tool_calls"] = kept
            if calls and not kept:
                del shown["tool_calls"]
        if finish and (rest := self._calls.rest()):
            shown["tool_calls"] = [*(shown.get("tool_calls") or ()), *rest]
        if finish and self._goes_on():
            finish = None
            shown = {key: value for key, value in shown.items() if value}
        if shown == delta and finish == choice.get("finish_reason"):
            return choice
        says = finish or any(value is not None for value in shown.values())
        return {**choice, "delta": shown, "finish_reason": finish} if says else None

    def _goes_on(self) -> bool:
        """Whether this stream ends with calls of the proxy's tools alone."""
        return self.answer().goes_on(self._names)
