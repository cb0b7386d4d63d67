"""Adapters between the providers' message lists and canonical messages.

``write(read(x)) == x`` within one format. Across formats, what could not be carried is named.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from compactor.errors import InvalidRequest
from compactor.formats import anthropic, openai_chat, openai_responses, text
from compactor.formats.lost import Lost, check_depth
from compactor.messages import Json, Message

__all__ = ["FORMATS", "Lost", "read", "write"]


class _Adapter(Protocol):
    def read(self, messages: Sequence[Json]) -> list[Message]: ...

    def write(self, messages: Sequence[Message]) -> tuple[list[Json], list[Lost]]: ...


_ADAPTERS: dict[str, _Adapter] = {
    "anthropic": anthropic,
    "openai-chat": openai_chat,
    "openai-responses": openai_responses,
    "text": text,
}
FORMATS = tuple(_ADAPTERS)


def read(messages: Sequence[Json], format: str) -> list[Message]:
    """Canonical messages. Raises InvalidRequest naming the message that cannot be read."""
    adapter = _adapter(format)
    for index, message in enumerate(messages):
        check_depth(message, f"Message {index}", f"messages.{index}")
    return adapter.read(messages)


def write(messages: Sequence[Message], format: str) -> tuple[list[Json], list[Lost]]:
    """A provider's message list, and what it could not carry."""
    return _adapter(format).write(messages)


def _adapter(format: str) -> _Adapter:
    if format not in _ADAPTERS:
        raise InvalidRequest(f"format must be one of {', '.join(FORMATS)}.", field="format")
    return _ADAPTERS[format]
