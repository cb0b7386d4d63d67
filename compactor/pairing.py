"""What providers demand of calls and their results: one function a rule, shared by the profiles."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from compactor.finding import Finding
from compactor.formats import openai_responses
from compactor.messages import Message


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
