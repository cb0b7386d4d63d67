"""Evidence that a tool's result offers by itself: errors, test outcomes, measurements, versions, paths.

No model, no clock: the same text gives the same. All of it is only proposed; someone else must note it to
make it count for more.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from math import isfinite

from compactor.facts.sentences import errors_of
from compactor.trace.measures import UNITS, Measurement

_LINE_CHARS = 240
_ERRORS = 6
#: Of a longer text only head and tail are read, and of the rest errors.
_SCAN_CHARS = 30_000
_NUMBER = r"[-+]?\d+(?:\.\d+)?"
_UNIT = "|".join(sorted((re.escape(u) for u in UNITS if u), key=len, reverse=True))
_MEASURE = re.compile(
    rf"^[ \t]*(?P<name>[^\W\d_][\w ./-]{{0,60}}?)[ \t]{{0,8}}[:=][ \t]{{0,8}}(?P<value>{_NUMBER})"
    rf"[ \t]?(?P<unit>{_UNIT})?[ \t]*$",
    re.MULTILINE,
)
_TESTS = re.compile(r"\b\d+ (?:passed|failed|skipped|errors?)\b")
_TEST_LINE = re.compile(r"^(?:FAILED|ERROR|PASSED|not ok|--- FAIL:)\s+\S.{0,200}$", re.MULTILINE)
_VERSION = re.compile(
    r"\b(?P<name>[^\W\d_][\w-]{1,30})(?:[ /@]|==| version )v?(?P<version>\d+\.\d+(?:\.\d+)+[\w.-]{0,20})"
)
_PATH = re.compile(
    r"\b(?:wrote|written to|created|saved|deleted|modified|renamed)[ :]+"
    r"(?P<path>[~.]?/?[\w.@+-]+(?:/[\w.@+-]+)+)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Offered:
    """What a text offers: a verbatim piece of it, where it stands, and what it is about."""

    about: str
    text: str
    start: int
    end: int
    measurement: Measurement | None = None


def offered(text: str, most: int) -> tuple[list[Offered], int]:
    """What a result offers, at most ``most``, and how many more it had. Linear in the text."""
    found: dict[tuple[int, int], Offered] = {}
    for part, offset in _parts(text):
        for each in (*_tests(part), *_errors(part), *_measured(part), *_named(part)):
            place = (each.start + offset, each.end + offset)
            if place not in found:
                found[place] = Offered(each.about, each.text, *place, each.measurement)
    listed = list(found.values())
    return listed[:most], max(0, len(listed) - most)


def _parts(text: str) -> Iterator[tuple[str, int]]:
    if len(text) <= _SCAN_CHARS:
        yield text, 0
        return
    half = _SCAN_CHARS // 2
    yield text[:half], 0
    yield text[-half:], len(text) - half


def _errors(text: str) -> Iterator[Offered]:
    for found in errors_of(text, _LINE_CHARS, count=_ERRORS):
        at = text.find(found.text)
        if at >= 0:
            yield Offered("error", found.text, at, at + len(found.text))


def _tests(text: str) -> Iterator[Offered]:
    for match in islice(_TESTS.finditer(text), 4):
        start = text.rfind("\n", 0, match.start()) + 1
        end = text.find("\n", match.end())
        end = len(text) if end < 0 else end
        if end - start <= _LINE_CHARS:
            yield Offered("test", text[start:end].strip(), start, end)
    for match in islice(_TEST_LINE.finditer(text), 8):
        yield Offered("test", match.group().strip(), match.start(), match.end())


def _measured(text: str) -> Iterator[Offered]:
    for match in _MEASURE.finditer(text):
        words = re.split(r"[\s./]+", match["name"].strip())
        subject, measure = " ".join(words[:-1]), words[-1]
        value = float(match["value"])
        if not subject or not isfinite(value):
            continue  # of what, only the reader knows; or no number that can be compared
        made = Measurement(subject, measure, value, match["unit"] or "")
        said = match.group()
        start = match.start() + len(said) - len(said.lstrip())
        yield Offered("measurement", said.strip(), start, start + len(said.strip()), made)


def _named(text: str) -> Iterator[Offered]:
    for match in islice(_VERSION.finditer(text), 4):
        yield Offered("version", match.group(), match.start(), match.end())
    for match in islice(_PATH.finditer(text), 4):
        yield Offered("path", match.group(), match.start(), match.end())
