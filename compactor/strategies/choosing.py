"""Fold or summary, result by result, each with the reason."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from compactor.facts import texts_of
from compactor.facts.tokens import words_of
from compactor.messages import FOLDED, Json, Message
from compactor.strategies.results import Used, put, used_results
from compactor.strategies.single import Made, each, folded
from compactor.strategies.work import Outcome, Work

_READS = re.compile(
    r"(?:^|[_.\-]|(?<=[a-z])(?=[A-Z]))"
    r"(?:read|cat|list|ls|glob|grep|search|find|view|open|get|fetch|lookup|query|show|scan)",
    re.IGNORECASE,
)
_ACTS = re.compile(
    r"run|exec|bash|shell|write|edit|create|post|send|deploy|delete|update|insert|test|build|install|click|submit",
    re.IGNORECASE,
)
_READING_COMMAND = re.compile(
    r"\s*(?:cd\s+\S+\s*&&\s*)?"
    r"(?:cat|ls|head|tail|grep|rg|find|fd|sed -n|wc|tree|stat|file|pwd|git (?:log|show|diff|status))\b"
)
_OFTEN = 2
Way = Literal["fold", "summary"]
_EASY = "easy to make again, rarely used"


@dataclass(frozen=True, slots=True)
class Choice:
    """How one result is made shorter, and why."""

    way: Way
    reason: str


def choose(history: Sequence[Message], work: Work) -> Outcome:
    """Each used result folds or is summarised; where that is not enough, the folded ones are summarised.

    Two questions decide: is it hard to make again, and is it used often? Hard, often, or unsure: a
    reversible fold. Easy and rarely used: a summary.
    """
    places: dict[tuple[int, int], Made] = {}
    for used, choice in choices(history, work):
        if choice.way == "fold":
            made = folded(used, work, always=True, why=f"fold: {choice.reason}")
            if made is not None:
                places[used.message, used.block] = made
    out = list(history)
    changes = put(out, places)
    plain = replace(work, rule=replace(work.rule, fold=False))
    summed = each(out, plain, goal="", why=f"summary: {_EASY},")
    changes, notes = [*changes, *summed.changes], summed.notes
    if work.share(summed.history) > 1:
        short = replace(plain, rule=replace(plain.rule, least_chars=200))
        summed = each(summed.history, short, goal="", why="summary: still over,", marked=FOLDED)
        changes, notes = [*changes, *summed.changes], (*notes, *summed.notes)
    return Outcome(summed.history, changes, notes)


def choices(history: Sequence[Message], work: Work) -> list[tuple[Used, Choice]]:
    """What ``choose`` decides for each used result, newest first, with the reason."""
    later: set[str] = set()
    at, made = len(history), []
    for used in reversed(list(used_results(history, work))):
        for message in history[used.message + 1 : at]:
            if message.calls:
                later.update(found.text for found in words_of("\n".join(texts_of([message]))))
        at = used.message + 1
        made.append((used, choice_of(used, later)))
    return made


def choice_of(used: Used, later: Collection[str]) -> Choice:
    """Fold or summary for one result; ``later`` are the names that calls after it used."""
    if used.again:
        return Choice("fold", "read more than once")
    often = len({found.text for found in words_of(used.text)}.intersection(later))
    if often >= _OFTEN:
        return Choice("fold", f"{often} of its names were used later")
    remade = made_again(used.tool, used.given)
    if remade is None:
        return Choice("fold", "unsure whether it can be made again")
    return Choice("summary", _EASY) if remade else Choice("fold", "hard to make again")


def made_again(tool: str, given: Json) -> bool | None:
    """Whether a call can be made again for the same result; ``None`` if its name does not tell."""
    command = given.get("command", given.get("cmd")) if isinstance(given, dict) else None
    if isinstance(command, str):
        return _READING_COMMAND.match(command) is not None
    if _ACTS.search(tool):
        return False
    return True if _READS.search(tool) else None
