"""What of a text costs tokens: its pieces by script, counted in linear time.

Byte-pair vocabularies differ by script far more than by model, so a text is described by a few
counts: words and their letters beyond the sixth, groups of up to three digits, runs of punctuation,
lines, and the characters of each other script. Ideographs come in two classes, because a
vocabulary has whole tokens for the frequent ones only: level 1 of GB 2312 (3,755 characters, by
frequency of use) and all others.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

import regex

#: Letters of a word that come with its first token.
_WORD_LETTERS = 6
_FREQUENT = "".join(
    bytes((lead, trail)).decode("gb2312", "ignore")
    for lead in range(0xB0, 0xD8)
    for trail in range(0xA1, 0xFF)
)
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_LONG = re.compile(r"[a-z]{7,}")
_CAPITALS = re.compile(r"[A-Z]{2,}")
_DIGITS = re.compile(r"[0-9]{1,3}")
_MARKS = re.compile(r"[!-/:-@\[-`{-~]+")
_LINE = re.compile(r"\n\s*")
_OTHERS = regex.compile(
    rf"(?P<ideograph>[{_FREQUENT}]+)|(?P<rare_ideograph>\p{{Han}}+)"
    r"|(?P<hiragana>\p{Hiragana}+)|(?P<katakana>[\p{Katakana}ー]+)|(?P<hangul>\p{Hangul}+)"
    r"|(?P<cyrillic>\p{Cyrillic}+)|(?P<arabic>\p{Arabic}+)|(?P<greek>\p{Greek}+)"
    r"|(?P<hebrew>\p{Hebrew}+)|(?P<thai>\p{Thai}+)|(?P<devanagari>\p{Devanagari}+)"
    r"|(?P<latin>[\p{Latin}--[A-Za-z]]+)|(?P<wide>[\u2010-\u2027\u3000-\u303f\uff00-\uffef·]+)"
    r"|(?P<letters>[\p{L}\p{M}--[A-Za-z]]+)|(?P<other>[^\s\x00-\x7f]+)",
    regex.VERSION1,
)
#: Scripts that put spaces between words: a word costs something of its own there.
_SPACED = frozenset({"hangul", "cyrillic", "arabic"})
PIECES = (
    *("words", "word_letters", "capitals", "digits", "marks", "mark_more", "lines"),
    *("spaces", "ideograph", "rare_ideograph", "hiragana", "katakana", "hangul", "hangul_words"),
    *("cyrillic", "cyrillic_words", "arabic", "arabic_words", "greek", "hebrew", "thai"),
    *("devanagari", "latin", "wide", "letters", "other"),
)


def pieces(text: str) -> Mapping[str, int]:
    """How many of each of ``PIECES`` the text has; those that it has none of may be left out."""
    counts: Counter[str] = Counter()
    long_words = _LONG.findall(text)
    marks = _MARKS.findall(text)
    counts["words"] = len(_WORD.findall(text))
    counts["word_letters"] = sum(map(len, long_words)) - _WORD_LETTERS * len(long_words)
    counts["capitals"] = sum(map(len, _CAPITALS.findall(text)))
    counts["digits"] = len(_DIGITS.findall(text))
    counts["marks"] = len(marks)
    counts["mark_more"] = sum(map(len, marks)) - len(marks)
    counts["lines"] = len(_LINE.findall(text))
    counts["spaces"] = text.count(" ")
    if not text.isascii():
        for match in _OTHERS.finditer(text):
            kind = match.lastgroup or "other"
            counts[kind] += match.end() - match.start()
            if kind in _SPACED:
                counts[f"{kind}_words"] += 1
    return counts
