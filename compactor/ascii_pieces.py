"""The pieces of a text's ASCII part, counted by whole-string operations: patterns are five times slower."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

#: Letters of a word that come with its first token.
WORD_LETTERS = 6
_DIGIT_GROUP = 3
_LINE = re.compile(r"\n\s*")
_LOWER, _UPPER, _DIGIT, _MARK, _GAP = b"a", b"A", b"0", b".", b" "


def _class_of(byte: int) -> bytes:
    char = chr(byte)
    if not char.isascii():
        return _GAP
    if char.isalpha():
        return _LOWER if char.islower() else _UPPER
    if char.isdigit():
        return _DIGIT
    return _MARK if "!" <= char <= "~" else _GAP


_CLASSES = b"".join(map(_class_of, range(256)))
_ONLY = {
    kept: bytes(byte if bytes((byte,)) == kept else 32 for byte in range(256))
    for kept in (_LOWER, _UPPER, _DIGIT, _MARK)
}


def ascii_pieces(text: str) -> Mapping[str, int]:
    """Words, their letters beyond the sixth, capitals, groups of digits, marks, lines and spaces.

    A word is a run of small letters with the capital before it, or a run of capitals. Linear.
    """
    kinds = text.encode("utf-8", "surrogatepass").translate(_CLASSES)
    small = Counter(map(len, _runs(kinds, _LOWER)))
    capitals, digits = (list(map(len, _runs(kinds, kind))) for kind in (_UPPER, _DIGIT))
    # One capital alone before small letters is the head of their word.
    heads = kinds.count(b"Aa") - kinds.count(b"AAa") if capitals else 0
    groups = sum(-(-length // _DIGIT_GROUP) for length in digits)
    mark_runs = len(_runs(kinds, _MARK))
    return {
        "words": small.total() + len(capitals) - heads,
        "word_letters": sum(
            (length - WORD_LETTERS) * times
            for length, times in small.items()
            if length > WORD_LETTERS
        ),
        "capitals": sum(capitals) - capitals.count(1),
        "digits": groups,
        "digit_more": sum(digits) - groups,
        "marks": mark_runs,
        "mark_more": kinds.count(_MARK) - mark_runs,
        "lines": len(_LINE.findall(text)),
        "spaces": text.count(" "),
    }


def _runs(kinds: bytes, kind: bytes) -> list[bytes]:
    """The runs of one kind."""
    return kinds.translate(_ONLY[kind]).split()
