"""The recorded failure cases, and how their words map to what a policy can say."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

from compactor import Policy, Session, validate
from compactor.conform import ALLOWANCE_CHARS
from compactor.cost import serialise
from compactor.formats import read
from compactor.meter import Meter
from compactor.state import CHECKED_FORMATS
from tests.compactor.histories import cases

Json = Any
FORMATS = {"openai": "openai-chat"}
PROFILES = {"strict-alternation": "mistral-strict"}
REF = re.compile(r"\bref=(a:[0-9a-f]{8,64})\b")


@dataclass(frozen=True)
class Case:
    """One line of the case file, its long strings written out."""

    format: str
    profile: str
    config: dict[str, Json]
    messages: list[Json]
    expect: dict[str, Json]


def case(name: str) -> Case:
    """The case of that id; skips the test where the cases are absent."""
    line = filled(cases()[name])
    format = FORMATS.get(line["format"], line["format"])
    asked = line["config"].get("profile", format)
    return Case(
        format, PROFILES.get(asked, asked), line["config"], line["messages"], line["expect"]
    )


def followed(given: Case, *more: Json) -> Case:
    """The case with messages behind it, so that there is something to compact it for."""
    return replace(given, messages=[*given.messages, *more])


def filled(value: Json) -> Json:
    """Case files write long strings as ``{"$rep": unit, "n": count, "then": more}``."""
    if isinstance(value, dict) and "$rep" in value:
        return value["$rep"] * value["n"] + filled(value.get("then", ""))
    if isinstance(value, dict):
        return {key: filled(item) for key, item in value.items()}
    return [filled(item) for item in value] if isinstance(value, list) else value


def keeping(given: Case, **changes: Json) -> Policy:
    """``keep_messages``: a budget just too small for all, and eviction down to that many."""
    allowance = ALLOWANCE_CHARS.get(given.profile, 0)
    meter = Meter(dict.fromkeys((*CHECKED_FORMATS, given.format)), allowance)
    policy = Policy(
        budget_chars=meter.total(read(given.messages, given.format)) - 1,
        target_share=1e-9,
        evict_over_share=0.0,
        floor_messages=given.config["keep_messages"],
        profile=given.profile if given.profile != given.format else "",
    )
    return replace(policy, **changes)


def session_of(given: Case, policy: Policy | None = None) -> Session:
    """A session that holds the case's messages, without a working memory of its own."""
    session = Session(replace(policy or Policy(), anchor=False))
    session.append_many(given.messages, given.format)
    return session


def errors(messages: list[Json], profile: str) -> list[str]:
    """Broken rules of a provider; a turn that only waits for its results is no error."""
    return [
        f"{found.index}: {found.rule}"
        for found in validate(messages, profile)
        if found.severity == "error"
    ]


def shown(messages: list[Json]) -> str:
    """Everything that the model reads, as one text."""
    return serialise(messages)


def calls_of(messages: list[Json]) -> set[str]:
    """Ids of the calls in a Chat Completions list."""
    return {call["id"] for message in messages for call in message.get("tool_calls") or ()}


def answered(messages: list[Json]) -> set[str]:
    """Ids that the results of a Chat Completions list answer."""
    return {message["tool_call_id"] for message in messages if message["role"] == "tool"}
