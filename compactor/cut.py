"""Shorten one text: head and tail of equal length around a marker, splitting no unit.

Cuts fall on grapheme clusters (UAX #29), outside ANSI escapes, and on a line end when one is near.
"""

from __future__ import annotations

import regex

from compactor.cost import serialise
from compactor.messages import Json

MARKER_FLOOR = 120
_LINE_SHARE = 0.05
_WINDOW = 512
_GRAPHEME = regex.compile(r"\X")
# CSI, OSC (ended by BEL or ST), and two-character escapes, as in ECMA-48.
_ANSI = regex.compile(
    r"\x1b(?:\[[0-?]*+[ -/]*+[@-~]|\][^\x07\x1b]{0,400}+(?:\x07|\x1b\\)|[@-Z\\-_])"
)


def marker(removed: int, ref: str) -> str:
    """The one marker: how many characters were taken out, and where they are."""
    return f"[... {removed:,} characters taken out, ref={ref} ...]"


def head_tail(text: str, limit: int, ref: str) -> str:
    """``text`` in at most ``limit`` characters with its marker; itself if it would not shrink.

    Under ``MARKER_FLOOR`` there is no room for a marker and the caller must report the ref itself.
    Linear in ``limit``, whatever the length of the text.
    """
    if len(text) <= limit:
        return text
    if limit < MARKER_FLOOR:
        short = text[: start_before(text, max(0, limit), 0)]
        return short if _smaller(short, text) else text
    room = limit - len(marker(len(text), ref)) - 2
    slack = int(limit * _LINE_SHARE)
    head_end = start_before(text, room // 2, slack)
    tail_start = start_after(text, len(text) - room // 2, slack)
    note = marker(tail_start - head_end, ref)
    before = "" if head_end == 0 or text[head_end - 1] == "\n" else "\n"
    made = f"{text[:head_end]}{before}{note}\n{text[tail_start:]}"
    return made if _smaller(made, text) else text


def _smaller(made: str, text: str) -> bool:
    if len(text) - len(made) > 64:
        return True
    return len(serialise(made)) < len(serialise(text))


def start_before(text: str, at: int, slack: int) -> int:
    """The last safe cut at or before ``at``; a line end within ``slack`` characters wins."""
    if at <= 0:
        return 0
    if at >= len(text):
        return len(text)
    line = text.rfind("\n", max(0, at - slack), at)
    if line >= 0:
        return line + 1
    return _boundaries(text, at)[0]


def start_after(text: str, at: int, slack: int) -> int:
    """The first safe cut at or after ``at``; a line end within ``slack`` characters wins."""
    if at >= len(text):
        return len(text)
    line = text.find("\n", max(0, at - 1), at + slack)
    if line >= 0:
        return line + 1
    return _boundaries(text, at)[1]


def _boundaries(text: str, at: int) -> tuple[int, int]:
    """Nearest safe cuts at or before, and at or after, a position."""
    low, high = max(0, at - _WINDOW), min(len(text), at + _WINDOW)
    window = text[low:high]
    before, after = low, high
    for match in _GRAPHEME.finditer(window):
        edge = low + match.end()
        if edge <= at:
            before = edge
        else:
            after = edge
            break
    if before == at:
        after = at
    for match in _ANSI.finditer(window):
        start, end = low + match.start(), low + match.end()
        if start < before < end:
            before = start
        if start < after < end:
            after = end
    return before, after


def shorten_leaves(value: Json, limit: int, ref: str) -> Json:
    """A JSON value whose string leaves are at most ``limit`` characters; its shape stays."""
    if isinstance(value, str):
        return head_tail(value, limit, ref)
    if isinstance(value, list):
        return [shorten_leaves(item, limit, ref) for item in value]
    if isinstance(value, dict):
        return {key: shorten_leaves(item, limit, ref) for key, item in value.items()}
    return value


def shorten_lines(text: str, limit: int, ref: str) -> str:
    """Each line in at most ``limit`` characters; line ends stay."""
    if len(text) <= limit:
        return text
    lines = text.split("\n")
    return "\n".join(head_tail(line, limit, ref) if len(line) > limit else line for line in lines)
