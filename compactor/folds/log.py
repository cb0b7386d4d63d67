"""Logs: how many lines of which level and kind, from when to when, and every kind of error."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from compactor.facts.sentences import errors_of
from compactor.folds.noise import quieted, shape_of

_TIME = re.compile(
    r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?|\b\d\d:\d\d:\d\d\b|\b[A-Z][a-z]{2} +\d{1,2} \d\d:\d\d:\d\d"
)
_LEVEL = re.compile(
    r"\b(?:DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|FATAL|CRITICAL|debug|info|warn(?:ing)?|error)\b"
)
_LEAST_LINES = 20
_SHARE = 0.6
_HEAD = 400


@dataclass(frozen=True, slots=True)
class Log:
    lines: int
    text: str


def log_of(text: str, most: int) -> Log | None:
    """The log that a text is, in about ``most`` characters and its errors; ``None`` if it is none. Linear."""
    lines = [line for line in quieted(text).split("\n") if line.strip()]
    count = text.count("\n") + 1
    if count < _LEAST_LINES or not _is_log(lines):
        return None
    levels = Counter(
        match[0].upper().replace("WARNING", "WARN")
        for line in lines
        if (match := _LEVEL.search(line[:_HEAD]))
    )
    kinds = Counter(shape_of(_TIME.sub("", line[:_HEAD]).strip()) for line in lines)
    times = [match[0] for line in lines if (match := _TIME.search(line[:_HEAD]))]
    made = []
    if times:
        made.append(f"from {times[0]} to {times[-1]}")
    if levels:
        made.append("levels: " + ", ".join(f"{level} {n:,}" for level, n in levels.most_common()))
    made += [f"error: {found.text}" for found in errors_of(text, 200, count=6)]
    made += [f"{n:,} ×: {shape[:100]}" for shape, n in kinds.most_common(4) if n > 1]
    made += [f"first: {lines[0].strip()[:160]}", f"last: {lines[-1].strip()[:160]}"]
    return Log(count, _within(made, most))


def _is_log(lines: Sequence[str]) -> bool:
    """Most lines carry a time or a level, or nearly all are of few kinds."""
    if not lines:
        return True
    stamped = sum(1 for line in lines if _TIME.search(line[:80]) or _LEVEL.search(line[:80]))
    return stamped >= _SHARE * len(lines)


def _within(lines: Sequence[str], most: int) -> str:
    """Errors always stay; of the rest what finds room."""
    kept = []
    room = most
    for line in lines:
        if line.startswith(("error: ", "first: ", "last: ")) or len(line) < room:
            kept.append(line)
            room -= len(line) + 1
    return "\n".join(kept)
