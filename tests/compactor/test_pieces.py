"""Pieces of a text are counted as the patterns that define them would."""

from __future__ import annotations

import re

from hypothesis import example, given, settings
from hypothesis import strategies as st

from compactor.ascii_pieces import ascii_pieces

TEXTS = st.text(st.sampled_from("abzABZ019.,_- \t\n\r\x0b\x1cé漢\ud800"), max_size=60)


def _total(pattern: str, text: str) -> int:
    return sum(map(len, re.findall(pattern, text)))


@settings(max_examples=400, deadline=None)
@given(TEXTS)
@example("ABc Abc aB ABCDefghijklmno x9876543210.!?\n \n\nend")
def test_counts_are_those_of_the_patterns(text: str) -> None:
    digits, marks = re.findall(r"[0-9]{1,3}", text), re.findall(r"[!-/:-@\[-`{-~]+", text)
    long_words = re.findall(r"[a-z]{7,}", text)
    assert ascii_pieces(text) == {
        "words": len(re.findall(r"[A-Z]?[a-z]+|[A-Z]+", text)),
        "word_letters": sum(map(len, long_words)) - 6 * len(long_words),
        "capitals": _total(r"[A-Z]{2,}", text),
        "digits": len(digits),
        "digit_more": sum(map(len, digits)) - len(digits),
        "marks": len(marks),
        "mark_more": sum(map(len, marks)) - len(marks),
        "lines": len(re.findall(r"\n\s*", text)),
        "spaces": text.count(" "),
    }
