"""Streams of the Responses API, several of them given out as one response."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from api.proxy import sse
from api.proxy.dialect import Answer, Said, summed
from api.proxy.places import Places
from compactor.messages import Json, JsonObject

AnswerOf = Callable[[JsonObject], Answer]
Visible = Callable[[Sequence[JsonObject], Collection[str]], list[JsonObject]]
_OPENING = ("response.created", "response.in_progress", "response.queued")
_CLOSING = ("response.completed", "response.incomplete", "response.failed")


class ResponsesRelay:
    """Shows the client all items but calls of the proxy's tools, and events numbered without a gap."""

    def __init__(self, names: Collection[str], answer_of: AnswerOf, visible: Visible) -> None:
        self._names, self._answer_of, self._visible = names, answer_of, visible
        self._rounds = 0
        self._id: Json = None
        self._places = Places()
        self._last: int | None = None
        self._shift = 0
        self._shown: list[JsonObject] = []
        self._before: Json = None
        self._response: JsonObject = {"output": []}
        self.begin()

    @property
    def complete(self) -> bool:
        return self._closes

    def begin(self) -> None:
        self._rounds += 1
        self._before = summed(self._before, self._response.get("usage"))
        self._shown += self._visible(self._response["output"], self._names)
        self._response = {"output": []}
        self._places.begin()
        self._opens, self._closes = True, False

    def feed(self, event: bytes) -> bytes:
        read = sse.read(event)
        data, kind = read.data, read.kind
        if data is None or not kind:
            return event
        changes = self._shown_of(data, kind)
        number = data.get("sequence_number")
        if isinstance(number, int):
            changes = self._numbered(number, changes)
        if changes is None:
            return b""
        return read.changed({**data, **changes}) if changes else event

    def _numbered(self, number: int, changes: JsonObject | None) -> JsonObject | None:
        if self._opens and self._last is not None:
            self._shift = self._last + 1 - number
        self._opens = False
        if changes is None:
            self._shift -= 1
            return None
        self._last = number + self._shift
        return {**changes, "sequence_number": self._last} if self._shift else changes

    def _shown_of(self, data: JsonObject, kind: str) -> JsonObject | None:
        """What the client is shown differently of an event; ``None`` hides it."""
        response = data.get("response")
        if kind in _OPENING:
            self._id = self._id or (response.get("id") if isinstance(response, dict) else None)
            return {} if self._rounds == 1 else None
        if kind in _CLOSING and isinstance(response, dict):
            return self._closed(response)
        index = data.get("output_index")
        if not isinstance(index, int):
            return {}
        place = self._place(index, data.get("item"))
        if place is None:
            return None
        return {} if place == index else {"output_index": place}

    def answer(self) -> Answer:
        return self._answer_of(self._response)

    def said(self) -> Said:
        shown = {**self._response, "output": self._shown}
        answer = self.answer()
        calls = {call.id for call in answer.others(self._names)}
        text = self._answer_of(shown).text + answer.text
        return Said(frozenset(calls), text, str(self._id or ""))

    def failure(self, code: str, message: str) -> bytes:
        number = (self._last or 0) + 1
        error = {"type": "error", "code": code, "message": message, "param": None}
        return sse.written({**error, "sequence_number": number}, "error")

    def _closed(self, response: JsonObject) -> JsonObject | None:
        """The whole response, as far as it is shown differently; ``None`` where the model is asked again."""
        self._closes = True
        if isinstance(response.get("output"), list):
            self._response = response
        if self.answer().goes_on(self._names):
            return None
        output = [*self._shown, *self._visible(self._response["output"], self._names)]
        if output == response.get("output") and self._rounds == 1:
            return {}
        usage = summed(self._before, response.get("usage"))
        # To clients a response is one from its first event to its last.
        return {"response": {**response, "id": self._id, "output": output, "usage": usage}}

    def _place(self, index: int, item: Json) -> int | None:
        """Where an item stands for the client; ``None`` for a call of the proxy's tools."""
        if index not in self._places:
            calls = isinstance(item, dict) and item.get("type") == "function_call"
            self._places.put(index, hidden=calls and str(item.get("name")) in self._names)
        return self._places.of(index)
