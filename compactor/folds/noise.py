"""Noise of terminals: progress lines, escapes, lines that come again and again."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby

_ANSI = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]{0,400}(?:\x07|\x1b\\)|[@-Z\\-_])")
_PROGRESS = re.compile(
    r"\d{1,3}(?:\.\d+)?\s?%|\[[=#>\-. ]{5,}\]|[█▓▒░━╸]{3,}|\b\d+/\d+\b"
    r"|\b\d+(?:\.\d+)?\s?[kMG]?i?B/s\b|^[|/\\-]\s|\.{4,}$"
)
#: What every sign of progress has in it that does not begin or end its line.
_INSIDE = re.compile(r"[%/\[█▓▒░━╸]")
_NUMBERS = re.compile(r"\d+")
_HEX = re.compile(r"\b(?=[0-9a-f-]*\d)[0-9a-f]{6,}(?:-[0-9a-f]{4,}){0,4}\b", re.IGNORECASE)
#: Something of every sign of progress in plain text; what numbers and ids are made of.
_OF_PROGRESS = ("%", "/", "[", "|", "\\", "-", "....")
_LEFT_OUT = str.maketrans(dict.fromkeys("0123456789abcdefABCDEF-"))
_LEAST = 3
_LONGEST = 400


def quieted(text: str) -> str:
    """The text without escapes, of progress only the last line, of repeated lines the first with a count.

    Lines are the same if they differ in numbers only. What is left stays as it is. Linear.
    """
    if _is_still(text):
        return text
    plain = _ANSI.sub("", text)
    lines = [
        line.rsplit("\r", 1)[-1] if "\r" in line else line
        for line in plain.replace("\r\n", "\n").split("\n")
    ]
    return "\n".join(_folded(lines))


def _is_still(text: str) -> bool:
    """Whether the lines' letters alone show that no three lines in a row are noise; few texts need more."""
    if not text.isascii() or "\x1b" in text or "\r" in text:
        return False
    bare = [line.strip()[:_LONGEST] for line in text.split("\n")]
    # What has the same shape is the same without what a shape leaves out.
    left = [line.translate(_LEFT_OUT) for line in bare]
    if any(map(text.__contains__, _OF_PROGRESS)):
        left = ["" if _is_progress(line) else key for line, key in zip(bare, left, strict=True)]
    return not any(a == b == c for a, b, c in zip(left, left[1:], left[2:], strict=False))


def _is_progress(bare: str) -> bool:
    may_be = bare[:1] in "|\\-" or bare.endswith("....") or _INSIDE.search(bare)
    return bool(may_be and _PROGRESS.search(bare))  # most lines are looked at no further


def _folded(lines: list[str]) -> Iterator[str]:
    for (shape, progress), run in groupby(lines, key=_shape):
        group = list(run)
        if len(group) < _LEAST or not shape:
            yield from group
        elif progress:
            yield group[-1]
            yield f"[… {len(group) - 1:,} progress lines before it]"
        else:
            yield group[0]
            yield f"[… {len(group) - 1:,} more lines like it, the last: {group[-1].strip()[:160]}]"


def _shape(line: str) -> tuple[str, bool]:
    bare = line.strip()[:_LONGEST]
    if _is_progress(bare):
        # A bar that grows has another shape each time.
        return "progress", True
    return shape_of(bare), False


def shape_of(line: str) -> str:
    """A line without what changes from one to the next: numbers and ids."""
    if _NUMBERS.search(line) is None:
        return line  # nor an id: there is a digit in each
    return _NUMBERS.sub("0", _HEX.sub("0", line))
