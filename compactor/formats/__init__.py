"""Adapters between the providers' message lists and canonical messages.

``write(read(x)) == x`` within one format. Across formats, what could not be carried is named.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from compactor.errors import InvalidRequest
from compactor.formats import anthropic, openai_chat, openai_responses, responses_items, text
from compactor.formats.lost import Lost, check_depth
from compactor.messages import Json, Message

__all__ = ["FORMATS", "Lost", "read", "write"]


@dataclass(frozen=True, slots=True)
class _Adapter:
    read: Callable[[Sequence[Json]], list[Message]]
    write: Callable[[Sequence[Message]], tuple[list[Json], list[Lost]]]


_ADAPTERS = {
    anthropic.NAME: _Adapter(anthropic.read, anthropic.write),
    openai_chat.NAME: _Adapter(openai_chat.read, openai_chat.write),
    openai_responses.NAME: _Adapter(openai_responses.read, responses_items.write),
    text.NAME: _Adapter(text.read, text.write),
}
FORMATS = tuple(_ADAPTERS)


def read(messages: Sequence[Json], format: str) -> list[Message]:
    """Canonical messages. Raises InvalidRequest naming the message that cannot be read."""
    adapter = _adapter(format)
    for index, message in enumerate(messages):
        check_depth(message, f"Message {index}", f"messages.{index}")
    try:
        return adapter.read(messages)
    except InvalidRequest as error:
        others = ", ".join(name for name in FORMATS if name != format)
        message = f"{error.message} It was read as {format}; `format` may also be {others}."
        raise InvalidRequest(message, field=error.field) from None


def write(messages: Sequence[Message], format: str) -> tuple[list[Json], list[Lost]]:
    """A provider's message list, and what it could not carry."""
    return _adapter(format).write(messages)


def _adapter(format: str) -> _Adapter:
    if format not in _ADAPTERS:
        raise InvalidRequest(f"format must be one of {', '.join(FORMATS)}.", field="format")
    return _ADAPTERS[format]
