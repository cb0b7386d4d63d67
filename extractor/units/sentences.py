"""Cut a long text at sentence ends, else at spaces, and never inside a grapheme cluster."""

from __future__ import annotations

import re

from extractor.graphemes import cut_after, cut_within

_SENTENCE = re.compile(
    r"(?<=[.!?\u2026])[\"'\u201d\u2019)\]]*\s+(?=\S)|(?<=[\u3002\uff01\uff1f])(?=\S)"
)

#: A text node longer than this is split at sentence ends; a sentence longer than the second, at spaces.
SENTENCE_SPLIT = 240
HARD_SPLIT = 600


def split(text: str) -> list[tuple[str, bool]]:
    """Pieces of a long text with whether white space stood before each; cut at sentence ends first,
    at spaces next, and never inside a grapheme cluster."""
    if len(text) <= SENTENCE_SPLIT:
        return [(text, False)]
    pieces: list[tuple[str, bool]] = []
    start, spaced = 0, False
    for match in _SENTENCE.finditer(text):
        cut = match.start() + len(match.group().rstrip())
        if cut - start < SENTENCE_SPLIT // 2:
            continue
        pieces.append((text[start:cut], spaced))
        start, spaced = match.end(), match.end() > cut
    pieces.append((text[start:], spaced))
    return [part for piece, was_spaced in pieces for part in _hard_split(piece, was_spaced)]


def _hard_split(text: str, spaced: bool) -> list[tuple[str, bool]]:
    parts: list[tuple[str, bool]] = []
    start = 0
    while len(text) - start > HARD_SPLIT:
        space = text.rfind(" ", start + HARD_SPLIT // 2, start + HARD_SPLIT)
        if space > 0:
            parts.append((text[start:space], spaced))
            start, spaced = space + 1, True
            continue
        cut = _cut(text, start)
        parts.append((text[start:cut], spaced))
        start, spaced = cut, False
    if start < len(text):
        parts.append((text[start:], spaced))
    return parts


def _cut(text: str, start: int) -> int:
    cut = cut_within(text, start, HARD_SPLIT)
    return cut if cut > start else cut_after(text, start)
