"""What providers demand of a message list: one function a rule, shared by the profiles."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import regex

from compactor.formats import openai_responses
from compactor.formats.anthropic import safe_id
from compactor.messages import Message


@dataclass(frozen=True, slots=True)
class Finding:
    """``index`` counts the list's messages. ``open`` is a turn that still waits for something."""

    index: int
    rule: str
    mend: str
    severity: Literal["error", "open"] = "error"


Rule = Callable[[Sequence[Message]], Iterator[Finding]]
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


def pairs(messages: Sequence[Message]) -> Iterator[Finding]:
    """Results stand right behind their calls, each call has one, and each result its call."""
    waiting: dict[str, int] = {}
    for index, message in enumerate(messages):
        for result in message.results:
            if result.id not in waiting:
                yield Finding(index, "orphan_result", "Remove it, or turn it into user text.")
            waiting.pop(result.id, None)
        if waiting and len(message.results) < len(message.blocks):
            for at in dict.fromkeys(waiting.values()):
                yield Finding(
                    at, "open_call", "Put a result for each call right after the message."
                )
            waiting = {}
        if message.role == "assistant":
            for call in message.calls:
                if call.id in waiting:
                    yield Finding(index, "id_reused", "Give each call of a turn an id of its own.")
                waiting[call.id] = index
    for at in dict.fromkeys(waiting.values()):
        yield Finding(at, "open_call", "Append the results before sending.", "open")


def item_pairs(messages: Sequence[Message]) -> Iterator[Finding]:
    """Items: an output stands somewhere behind its call, a call id is used once."""
    waiting: dict[str, int] = {}
    known: set[str] = set()
    for index, message in enumerate(messages):
        for call in message.calls:
            if call.id in known:
                yield Finding(index, "id_reused", f"Give the call {call.id!r} an id of its own.")
            known.add(call.id)
            waiting[call.id] = index
        for result in message.results:
            if waiting.pop(result.id, None) is None:
                yield Finding(index, "orphan_result", "Remove it, or turn it into user text.")
    last_user = max((i for i, m in enumerate(messages) if m.role == "user"), default=-1)
    for at in dict.fromkeys(waiting.values()):
        severity: Literal["error", "open"] = "error" if at < last_user else "open"
        yield Finding(at, "open_call", "Put an output for each call behind it.", severity)


def item_owners(messages: Sequence[Message]) -> Iterator[Finding]:
    """Items: an id is kept only behind the reasoning that it was made with; none is left alone."""
    reasoned, thought_at = False, -1
    for index, message in enumerate(messages):
        raw = message.raw if isinstance(message.raw, dict) else {}
        if message.role != "assistant":
            if thought_at >= 0:
                yield Finding(thought_at, "reasoning_alone", "Remove it, or keep what followed it.")
            reasoned, thought_at = False, -1
        elif raw.get("type") == "reasoning":
            reasoned, thought_at = True, index
        else:
            thought_at = -1
            owned = openai_responses.kind_of(raw) in openai_responses.OWNED
            if owned and "id" in raw and not reasoned:
                yield Finding(index, "item_id", "Remove the id: its reasoning item is gone.")


def results_first(messages: Sequence[Message]) -> Iterator[Finding]:
    """In a user message results stand before text."""
    for index, message in enumerate(messages):
        kinds = [block.kind == "tool_result" for block in message.blocks]
        if kinds != sorted(kinds, reverse=True):
            yield Finding(index, "results_first", "Put the tool_result blocks before the text.")


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


def server_pairs(messages: Sequence[Message]) -> Iterator[Finding]:
    """A server tool's result has its call before it."""
    known: set[str] = set()
    for index, message in enumerate(messages):
        for block in message.blocks:
            if block.kind != "opaque" or not isinstance(block.raw, dict):
                continue
            if "tool_use_id" in block.raw and block.id not in known:
                yield Finding(index, "orphan_result", "Remove the server tool's result.")
            known.add(block.id)


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
