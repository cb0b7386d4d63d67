"""Where and why a request is not the start of the next one."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Literal

import regex

from compactor.messages import Json
from compactor.plan import shared_start
from compactor.prefix import CHANGING

Cause = Literal[
    "key order", "a timestamp", "a turn number", "a random id", "a marker", "cut off", "content"
]
_MARKER = regex.compile(r'cache_control|"ephemeral"|\[WORKING MEMORY\]|\bref=a:[0-9a-f]*')
#: Characters around the difference that are looked at, and that are shown.
_AROUND, _SHOWN = 80, 24
#: How far from the difference a marker may begin or end: a marker moves what stands beside it.
_NEAR = 24


@dataclass(frozen=True, slots=True)
class Break:
    """The first difference: its offset in bytes of UTF-8, its cause, and what stands there in each."""

    byte: int
    cause: Cause
    before: str
    after: str

    def __str__(self) -> str:
        return f"byte {self.byte} differs ({self.cause}): {self.before!r} became {self.after!r}"


def first_break(before: str, after: str, *, stable_chars: int | None = None) -> Break | None:
    """Why ``before`` is no prefix of ``after``; ``None`` where it is one.

    Both are JSON texts as they are sent. Of ``before`` only ``stable_chars`` count; by default all but the
    brackets that close it. Linear.
    """
    stable = len(before.rstrip().rstrip("]}")) if stable_chars is None else stable_chars
    at = shared_start(before[:stable], after)
    if at >= stable:
        return None
    shown = (text[at : at + _SHOWN] for text in (before, after))
    size = len(before[:at].encode("utf-8", "surrogatepass"))
    return Break(size, _cause(before, after, at), *shown)


def _cause(before: str, after: str, at: int) -> Cause:
    if _only_order(_parsed(before), _parsed(after)):
        return "key order"
    start = max(0, at - _AROUND)
    windows = [text[start : at + _AROUND] for text in (before, after)]
    for name, pattern in CHANGING:
        for window in windows:
            found_at = pattern.finditer(window, overlapped=True)
            if any(m.start() <= at - start <= m.end() for m in found_at):
                return name
    for window in windows:
        for found in _MARKER.finditer(window):
            if found.start() - _NEAR <= at - start <= found.end() + _NEAR:
                return "a marker"
    return "cut off" if at >= len(after.rstrip().rstrip("]}")) else "content"


def _parsed(text: str) -> Json:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _only_order(one: Json, two: Json) -> bool:
    """Whether the first place where two values are written differently holds the same values."""
    if isinstance(one, list) and isinstance(two, list):
        for left, right in zip(one, two, strict=False):
            if json.dumps(left) != json.dumps(right):
                return _only_order(left, right)
        return False
    if not isinstance(one, dict) or not isinstance(two, dict):
        return False
    if list(one) != list(two):
        return one.keys() == two.keys()
    for key in one:
        if json.dumps(one[key]) != json.dumps(two[key]):
            return _only_order(one[key], two[key])
    return False
