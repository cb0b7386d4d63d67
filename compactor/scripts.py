"""What of a text costs tokens: its pieces by script, counted in linear time.

Byte-pair vocabularies differ by script far more than by model, so a text is described by a few
counts: words and their letters beyond the sixth, groups of up to three digits, runs of punctuation,
lines, and the characters of each other script. Ideographs and Hangul syllables come in classes by how
many vocabularies hold them as one token; ``characters.json`` lists the two most frequent ones, and the
next is what GB 2312 and Big5 list first. Pairs of ideographs that vocabularies hold as one token are
counted too, since they make prose dearer than manuals: ``han_terms`` of software, ``han_words`` of
everything.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from importlib.resources import files

import regex

from compactor.ascii_pieces import ascii_pieces

_LISTS: Mapping[str, str] = json.loads(
    (files("compactor") / "characters.json").read_text(encoding="utf-8")
)
_PAIRS = {
    text[at : at + 2]: name
    for name in ("han_words", "han_terms")
    for text in (_LISTS[name],)
    for at in range(0, len(text), 2)
}


def _decoded(encoding: str, leads: range, trails: Iterable[int]) -> set[str]:
    trails = list(trails)
    made = (bytes((lead, trail)).decode(encoding, "ignore") for lead in leads for trail in trails)
    return {char for text in made for char in text if "\u4e00" <= char <= "\u9fff"}


_LISTED = _decoded("gb2312", range(0xB0, 0xD8), range(0xA1, 0xFF)) | _decoded(
    "big5", range(0xA4, 0xC7), [*range(0x40, 0x7F), *range(0xA1, 0xFF)]
)
_INDIC = "".join(
    rf"\p{{{name}}}"
    for name in (
        *("Bengali", "Tamil", "Telugu", "Kannada", "Malayalam", "Gujarati", "Gurmukhi", "Sinhala"),
    )
)
#: The first that matches a character names its class.
_RULES = tuple(
    (name, regex.compile(pattern, regex.VERSION1))
    for name, pattern in (
        *((name, rf"\p{{{name}}}") for name in ("Hiragana", "Katakana", "Han", "Hangul")),
        *((name, rf"\p{{{name}}}") for name in ("Cyrillic", "Arabic", "Greek", "Hebrew", "Thai")),
        ("Devanagari", r"\p{Devanagari}"),
        ("emoji", "[\U0001f000-\U0001faff\u2600-\u27bf\ufe0f\u200d]"),
        ("indic", f"[{_INDIC}]"),
        ("vietnamese", "[\u1ea0-\u1ef9ĂăĐđƠơƯư]"),
        ("latin", r"\p{Latin}"),
        ("wide", "[\u2010-\u201f\u2026\u3001-\u3011\uff01-\uff1f]"),
        ("letters", r"[\p{L}\p{M}]"),
        ("", r"\s"),
    )
)


class _Classes(dict[str, str]):
    """The piece that a character outside ASCII counts for; empty for none. Filled as asked for."""

    def __missing__(self, char: str) -> str:
        found = "other"
        for name, pattern in _RULES:
            if pattern.match(char):
                found = name.lower()
                break
        if found in ("han", "hangul"):
            found += "_listed" if char in _LISTED else "_rare"
        if char == "ー":
            found = "katakana"
        self[char] = found
        return found


_CLASSES = _Classes(
    {char: name for name in _LISTS if not name.endswith(("s",)) for char in _LISTS[name]}
)
#: Scripts that put spaces between words: a word costs something of its own there.
_SPACED = ("hangul", "cyrillic", "arabic", "greek", "hebrew", "devanagari")
_RUNS = {name: regex.compile(rf"\p{{{name}}}+") for name in _SPACED}
_HAN = re.compile("[\u3400-\u9fff]{2,}")
PIECES = (
    *("words", "word_letters", "capitals", "digits", "digit_more", "marks", "mark_more", "lines"),
    *("spaces", "han_common", "han_usual", "han_listed", "han_rare", "han_words", "han_terms"),
    *("hiragana", "katakana", "hangul_common", "hangul_usual", "hangul_rare", "hangul_words"),
    *("cyrillic", "cyrillic_words", "arabic", "arabic_words", "greek", "greek_words"),
    *("hebrew", "hebrew_words", "devanagari", "devanagari_words", "indic", "thai"),
    *("vietnamese", "latin", "wide", "letters", "emoji", "other"),
)


def pieces(text: str) -> Mapping[str, int]:
    """How many of each of ``PIECES`` the text has; those that it has none of may be left out."""
    counts = Counter(ascii_pieces(text))
    if not text.isascii():
        _count_others(text, counts)
    return counts


def _count_others(text: str, counts: Counter[str]) -> None:
    seen: Counter[str] = Counter()
    for char, times in Counter(text).items():
        if char > "\x7f" and _CLASSES[char]:
            seen[_CLASSES[char]] += times
    counts.update(seen)
    for name, pattern in _RUNS.items():
        if any(kind.startswith(name) for kind in seen):
            counts[f"{name}_words"] = len(pattern.findall(text))
    if any(kind.startswith("han_") for kind in seen):
        for run in _HAN.findall(text):
            _count_pairs(run, counts)


def _count_pairs(run: str, counts: Counter[str]) -> None:
    at, last = 0, len(run) - 1
    while at < last:
        kind = _PAIRS.get(run[at : at + 2])
        if kind is None:
            at += 1
        else:
            counts[kind] += 1
            at += 2
