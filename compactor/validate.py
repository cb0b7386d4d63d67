"""Check any message list against a provider's rules: which message, which rule, how to mend it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from compactor import formats
from compactor.errors import InvalidRequest
from compactor.formats.anthropic import safe_id
from compactor.messages import Json, Message


@dataclass(frozen=True, slots=True)
class Finding:
    """``index`` counts the list's messages. ``open`` is a turn that still waits for results."""

    index: int
    rule: str
    mend: str
    severity: Literal["error", "open"] = "error"


Rule = Callable[[Sequence[Message], str], Iterator[Finding]]
MAX_CACHE_MARKERS = 4


def validate(messages: Sequence[Json], profile: str) -> list[Finding]:
    """Findings against the rules of a provider, in the order of the messages; empty if it is valid.

    Raises:
        InvalidRequest: unknown profile, or a list that cannot be read at all.
    """
    if profile not in PROFILES:
        raise InvalidRequest(f"profile must be one of {', '.join(PROFILES)}.", field="profile")
    form, rules = PROFILES[profile]
    read = formats.read(messages, form)
    found = [finding for rule in rules for finding in rule(read, profile)]
    return sorted(found, key=lambda finding: (finding.index, finding.rule))


def _first_role(messages: Sequence[Message], profile: str) -> Iterator[Finding]:
    for index, message in enumerate(messages):
        if message.role == "system":
            continue
        if message.role != "user" or message.results:
            yield Finding(index, "first_role", "Put a user message first.")
        return


def _no_system(messages: Sequence[Message], profile: str) -> Iterator[Finding]:
    for index, message in enumerate(messages):
        if message.role == "system":
            yield Finding(index, "system_role", "Move the text to the top-level system field.")


def _pairs(messages: Sequence[Message], profile: str) -> Iterator[Finding]:
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


def _results_first(messages: Sequence[Message], profile: str) -> Iterator[Finding]:
    for index, message in enumerate(messages):
        kinds = [block.kind == "tool_result" for block in message.blocks]
        if kinds != sorted(kinds, reverse=True):
            yield Finding(index, "results_first", "Put the tool_result blocks before the text.")


def _empty(messages: Sequence[Message], profile: str) -> Iterator[Finding]:
    for index, message in enumerate(messages):
        if not message.blocks or any(
            block.kind == "text" and not block.text.strip() for block in message.blocks
        ):
            yield Finding(index, "empty_content", "Remove the block, or put text into it.")


def _ids(messages: Sequence[Message], profile: str) -> Iterator[Finding]:
    seen: set[str] = set()
    for index, message in enumerate(messages):
        for call in message.calls:
            if not call.id or (profile == "anthropic" and safe_id(call.id) != call.id):
                yield Finding(index, "id_form", f"Replace the id {call.id!r}.")
            if profile == "anthropic" and call.id in seen:
                yield Finding(index, "id_reused", f"Give the call {call.id!r} an id of its own.")
            seen.add(call.id)
            if profile == "anthropic" and not isinstance(call.input, dict):
                yield Finding(index, "input_form", "input must be an object.")


def _server_pairs(messages: Sequence[Message], profile: str) -> Iterator[Finding]:
    known: set[str] = set()
    for index, message in enumerate(messages):
        for block in message.blocks:
            if block.kind != "opaque" or not isinstance(block.raw, dict):
                continue
            if "tool_use_id" in block.raw and block.id not in known:
                yield Finding(index, "orphan_result", "Remove the server tool's result.")
            known.add(block.id)


def _cache_markers(messages: Sequence[Message], profile: str) -> Iterator[Finding]:
    count = 0
    for index, message in enumerate(messages):
        for block in message.blocks:
            count += isinstance(block.raw, dict) and "cache_control" in block.raw
            if count > MAX_CACHE_MARKERS:
                yield Finding(index, "cache_markers", "Keep at most four cache_control markers.")
                return


# profile -> the format it reads, and its rules
PROFILES: dict[str, tuple[str, tuple[Rule, ...]]] = {
    "anthropic": (
        "anthropic",
        (
            _first_role,
            _no_system,
            _pairs,
            _results_first,
            _empty,
            _ids,
            _server_pairs,
            _cache_markers,
        ),
    ),
    "openai-chat": ("openai-chat", (_pairs, _empty, _ids)),
}
