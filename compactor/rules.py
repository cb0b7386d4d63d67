"""What providers demand of roles, ids and contents: one function a rule, shared by the profiles."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import regex

from compactor.finding import Finding
from compactor.formats.anthropic import safe_id
from compactor.messages import Message

MAX_CACHE_MARKERS = 4
_MISTRAL_ID = regex.compile(r"[a-zA-Z0-9]{9}")


def first_role(messages: Sequence[Message]) -> Iterator[Finding]:
    """The first message after the system's is a user's."""
    for index, message in enumerate(messages):
        if message.role == "system":
            continue
        if message.role != "user" or message.results:
            yield Finding(index, "first_role", "Put a user message first.")
        return


def no_system(messages: Sequence[Message]) -> Iterator[Finding]:
    """The system prompt has a field of its own."""
    for index, message in enumerate(messages):
        if message.role == "system":
            yield Finding(index, "system_role", "Move the text to the top-level system field.")


def system_first(messages: Sequence[Message]) -> Iterator[Finding]:
    """A system message stands first or nowhere."""
    for index, message in enumerate(messages):
        if index and message.role == "system":
            yield Finding(index, "system_first", "Move the text into the first message.")


def not_empty(messages: Sequence[Message]) -> Iterator[Finding]:
    """No message and no text block is empty."""
    for index, message in enumerate(messages):
        if not message.blocks or any(
            block.kind == "text" and not block.text.strip() for block in message.blocks
        ):
            yield Finding(index, "empty_content", "Remove the block, or put text into it.")


def has_ids(messages: Sequence[Message]) -> Iterator[Finding]:
    """Each call has an id."""
    for index, message in enumerate(messages):
        for call in message.calls:
            if not call.id:
                yield Finding(index, "id_form", "Give the call an id, and its result the same.")


def anthropic_calls(messages: Sequence[Message]) -> Iterator[Finding]:
    """Ids in the letters that the API takes, never used twice; arguments are an object."""
    seen: set[str] = set()
    for index, message in enumerate(messages):
        for call in message.calls:
            if not call.id or safe_id(call.id) != call.id:
                yield Finding(index, "id_form", f"Replace the id {call.id!r}.")
            if call.id in seen:
                yield Finding(index, "id_reused", f"Give the call {call.id!r} an id of its own.")
            seen.add(call.id)
            if not isinstance(call.input, dict):
                yield Finding(index, "input_form", "input must be an object.")


def mistral_ids(messages: Sequence[Message]) -> Iterator[Finding]:
    """Call ids are nine letters or digits."""
    for index, message in enumerate(messages):
        for block in (*message.calls, *message.results):
            if not _MISTRAL_ID.fullmatch(block.id):
                yield Finding(index, "id_form", f"Replace the id {block.id!r} on both sides.")


def cache_markers(messages: Sequence[Message]) -> Iterator[Finding]:
    """At most four cache breakpoints."""
    count = 0
    for index, message in enumerate(messages):
        for block in message.blocks:
            count += isinstance(block.raw, dict) and "cache_control" in block.raw
            if count > MAX_CACHE_MARKERS:
                yield Finding(index, "cache_markers", "Keep at most four cache_control markers.")
                return


def alternates(messages: Sequence[Message]) -> Iterator[Finding]:
    """User and assistant take turns; results belong to the turn of their call."""
    before = ""
    for index, message in enumerate(messages):
        if message.role == "system":
            continue
        role = "tool" if message.results else message.role
        if role == before and role != "tool":
            yield Finding(index, "alternation", f"Join it with the {role} message before it.")
        before = role


def no_user_after_results(messages: Sequence[Message]) -> Iterator[Finding]:
    """After results the assistant speaks."""
    for index in range(1, len(messages)):
        message = messages[index]
        if messages[index - 1].results and message.role == "user" and not message.results:
            yield Finding(index, "user_after_results", "Put an assistant message between.")


def call_after_user(messages: Sequence[Message]) -> Iterator[Finding]:
    """A turn with calls comes right after a user's message or after results."""
    for index, message in enumerate(messages):
        if message.calls and (index == 0 or messages[index - 1].role in ("assistant", "system")):
            yield Finding(index, "call_after_user", "Join it with the assistant message before it.")


def last_role(messages: Sequence[Message]) -> Iterator[Finding]:
    """The last message is not the assistant's: there would be nothing to answer."""
    if messages and messages[-1].role == "assistant":
        yield Finding(len(messages) - 1, "last_role", "Append a user message first.", "open")


def has_reasoning(messages: Sequence[Message]) -> Iterator[Finding]:
    """Every assistant message carries ``reasoning_content``."""
    for index, message in enumerate(messages):
        raw = message.raw if isinstance(message.raw, dict) else {}
        if message.role == "assistant" and "reasoning_content" not in raw:
            yield Finding(index, "reasoning_content", 'Add reasoning_content, "" if there is none.')
