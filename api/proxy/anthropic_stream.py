"""Streams of the Messages API, several of them given out as one message."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection
from typing import Any

from api.proxy import sse
from api.proxy.dialect import Answer, Said, summed
from api.proxy.places import Places
from compactor.messages import Json, JsonObject

#: Kinds of delta → the field of the block that they grow.
_GROWS = {"text_delta": "text", "thinking_delta": "thinking", "signature_delta": "signature"}
AnswerOf = Callable[[list[Any], Json, Json], Answer]


class AnthropicRelay:
    """Shows the client all blocks but calls of the proxy's tools, numbered as if there were none."""

    def __init__(self, names: Collection[str], answer_of: AnswerOf) -> None:
        self._names, self._answer_of = names, answer_of
        self._rounds = 0
        self._places = Places()
        self._text = ""
        self._before: Json = None
        self._usage: Json = None
        self._blocks: dict[int, JsonObject] = {}
        self.begin()

    @property
    def complete(self) -> bool:
        return self._stop is not None

    def begin(self) -> None:
        self._rounds += 1
        self._before = summed(self._before, self._usage)
        self._text += self._answer_of(list(self._blocks.values()), None, None).text
        self._blocks = {}
        self._partial: dict[int, str] = {}
        self._places.begin()
        self._usage = None
        self._stop: Json = None

    def feed(self, event: bytes) -> bytes:
        read = sse.read(event)
        data, kind = read.data, read.kind
        if data is None or not kind:
            return event
        if kind == "message_start":
            return self._started(event, data)
        if kind.startswith("content_block_"):
            return self._block(read, data, kind)
        if kind == "message_delta":
            return self._ended(read, data)
        return b"" if kind == "message_stop" and self._goes_on() else event

    def answer(self) -> Answer:
        content = [self._blocks[index] for index in sorted(self._blocks)]
        return self._answer_of(content, self._stop, self._usage)

    def said(self) -> Said:
        calls = {call.id for call in self.answer().others(self._names)}
        return Said(frozenset(calls), self._text + self.answer().text)

    def failure(self, code: str, message: str) -> bytes:
        error = {"type": "error", "error": {"type": code, "message": message}}
        return sse.written(error, "error")

    def _started(self, event: bytes, data: JsonObject) -> bytes:
        message = data.get("message")
        self._usage = message.get("usage") if isinstance(message, dict) else None
        return event if self._rounds <= 1 else b""

    def _block(self, read: sse.Event, data: JsonObject, kind: str) -> bytes:
        index = data.get("index")
        if not isinstance(index, int):
            return read.raw
        if kind == "content_block_start" and isinstance(data.get("content_block"), dict):
            block = dict(data["content_block"])
            self._blocks[index] = block
            hidden = block.get("type") == "tool_use" and str(block.get("name")) in self._names
            self._places.put(index, hidden=hidden)
        elif kind == "content_block_delta" and isinstance(data.get("delta"), dict):
            self._grow(index, data["delta"])
        elif kind == "content_block_stop":
            self._finish(index)
        place = self._places.of(index)
        if place is None:
            return b""
        return read.raw if place == index else read.changed({**data, "index": place})

    def _grow(self, index: int, delta: JsonObject) -> None:
        block, kind = self._blocks.get(index), str(delta.get("type"))
        if block is None:
            return
        field = _GROWS.get(kind)
        if field is not None:
            block[field] = str(block.get(field) or "") + str(delta.get(field, ""))
        elif kind == "input_json_delta":
            self._partial[index] = self._partial.get(index, "") + str(delta.get("partial_json", ""))
        elif kind == "citations_delta":
            block["citations"] = [*(block.get("citations") or []), delta.get("citation")]

    def _finish(self, index: int) -> None:
        text = self._partial.pop(index, "")
        if text:
            try:
                self._blocks[index]["input"] = json.loads(text)
            except (KeyError, ValueError, RecursionError):
                self._blocks.get(index, {})["input"] = None

    def _ended(self, read: sse.Event, data: JsonObject) -> bytes:
        delta = data.get("delta")
        self._stop = delta.get("stop_reason") if isinstance(delta, dict) else None
        usage = data.get("usage")
        if isinstance(usage, dict):
            # Cumulative within one stream.
            self._usage = {**(self._usage or {}), **usage}
        if self._goes_on():
            return b""
        if self._before is None or not isinstance(usage, dict):
            return read.raw
        total = summed(self._before, self._usage)
        return read.changed({**data, "usage": {key: total[key] for key in usage}})

    def _goes_on(self) -> bool:
        """Whether this stream ends with calls of the proxy's tools alone."""
        return self.answer().goes_on(self._names)
