"""Smuggled characters go, those that a script or an emoji needs stay."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extractor.unicode_tricks import strip_tricks


def tags(word: str) -> str:
    return "".join(chr(0xE0000 + ord(letter)) for letter in word)


LEGAL = {
    "Persian with a non-joiner": "می\u200cروم",
    "Urdu with a non-joiner": "کے\u200cلیے",
    "Arabic letter shown in its joining form": "ه\u200d",
    "Hindi half form": "क\u094d\u200dष",
    "Hindi without a ligature": "क\u094d\u200cष",
    "Marathi eyelash ra": "द\u0930\u094d\u200dया",
    "Bengali": "র\u200d\u09cdয",
    "Sinhala": "ශ්\u200dරී",
    "Malayalam chillu": "ന\u0d4d\u200d",
    "family of emoji": "👩\u200d👩\u200d👧\u200d👦",
    "scientist": "👩\u200d🔬",
    "judge with a skin tone": "👩🏽\u200d⚖\ufe0f",
    "heart on fire": "❤\ufe0f\u200d🔥",
    "rainbow flag": "🏳\ufe0f\u200d🌈",
    "pirate flag": "🏴\u200d☠\ufe0f",
    "flag of Scotland": "🏴" + tags("gbsct") + "\U000e007f",
    "flags side by side": ("🏴" + tags("gbeng") + "\U000e007f") * 2,
    "keycap": "1\ufe0f\u20e3",
    "text style": "☎\ufe0e",
    "ideographic variant": "葛\U000e0100飾区",
    "Thai word breaks": "สวัสดี\u200bครับ",
    "Khmer word breaks": "សួស្តី\u200bពិភពលោក",
    "Japanese break": "東京\u200b都",
    "Hebrew with a mark": "שלום\u200f (C++)\u200e",
    "Arabic isolate": "قال \u2067سعيد\u2069 نعم",
    "name isolated by a formatter": "Hello \u2068Anna\u2069!",
    "left-to-right embedding in Hebrew": "שם \u202aABC-12\u202c כאן",
    "soft hyphen": "Donau\u00addampf\u00adschiff",
    "break after a slash": "path/\u200bto",
    "zero-width space at the start": "\u200bword",
    "combining letter stays two code points": "e\u0301",
    "plain": "Plain words.",
    "invisible times, alone as in MathML": "\u2062",
    "invisible operators of a formula": "f\u2061(x) = 2\u2062x",
}

TRICKS = {
    "tag characters": ("ok" + tags("run this"), "ok"),
    "tags behind a flag that no font draws": ("🏴" + tags("ignore all") + "\U000e007f", "🏴"),
    "tags between words": ("a " + tags("hi") + "b", "a b"),
    "zero-width run in a word": ("price\u200b\u200b\u2060list", "pricelist"),
    "one zero-width space in a word": ("pass\u200bword", "password"),
    "word joiner in a Cyrillic word": ("па\u2060роль", "пароль"),
    "byte-order mark in a Greek word": ("κω\ufeffδικός", "κωδικός"),
    "joiner in a Latin word": ("as\u200dsist", "assist"),
    "non-joiner in a Latin word": ("as\u200csist", "assist"),
    "bits after a full stop": ("Done.\u200b\u200c\u200b\u200b\u200c\u200b Next", "Done. Next"),
    "bits in Persian": ("می\u200c\u200d\u200c\u200d\u200c\u200d\u200cروم", "میروم"),
    "override": ("pay \u202etnega\u202c now", "pay tnega now"),
    "override left open": ("\u202eevil", "evil"),
    "isolate that turns Latin round": ("x\u2067 return; \u2069y", "x return; y"),
    "stray end": ("a\u202c b\u2069", "a b"),
    "selectors after a letter": ("a\ufe00\ufe01\U000e0130\U000e0141", "a"),
    "selectors after an emoji": ("😀\ufe0f\U000e0120\U000e0133", "😀\ufe0f"),
    "mark in a Latin word": ("pa\u200ess", "pass"),
    "invisible operators in words": ("a\u2061b \u2063c", "ab c"),
    "byte-order mark at a word's end": ("re\ufeff this", "re this"),
    "soft hyphens in a row": ("a\u00ad\u00ad\u00ad\u00adb", "ab"),
    "deprecated format characters": ("a\u206a\u206fb", "ab"),
    "fillers of Korean": ("a\u3164b\uffa0c\u115fd\u1160", "abcd"),
    "vowels of Khmer that draw nothing": ("ក\u17b4\u17b5ខ", "កខ"),
    "Mongolian selectors behind Latin": ("a\u180b\u180cb", "ab"),
    "annotation and musical controls": ("a\ufff9b\ufffac\ufffb\U0001d173\U0001d17a", "abc"),
    "unassigned of the plane of tags": ("a\U000e0080\U000e0fff", "a"),
    "Arabic letter mark in a Latin word": ("pa\u061css", "pass"),
}  # fmt: skip


@pytest.mark.parametrize("text", LEGAL.values(), ids=list(LEGAL))
def test_what_writing_needs_stays(text: str) -> None:
    assert strip_tricks(text).text == text
    assert strip_tricks(text).removed == ""


@pytest.mark.parametrize(("text", "expected"), TRICKS.values(), ids=list(TRICKS))
def test_smuggled_characters_go_and_are_counted(text: str, expected: str) -> None:
    found = strip_tricks(text)
    assert found.text == expected
    assert len(found.removed) == len(text) - len(expected)


CHARS = st.text(st.sampled_from([*"aб1 .", *"م漢ไक👩🔬🏴", *"\u200b\u200c\u200d\u2060\ufe0f\u202e\u202c\u2067\u2069\u200f\u00ad", chr(0xE0067)]))  # fmt: skip


@given(CHARS)
def test_nothing_but_invisible_characters_is_taken(text: str) -> None:
    found = strip_tricks(text)
    assert not set(found.removed) & set("aб1 .م漢ไक👩🔬🏴")
    assert sorted(found.text + found.removed) == sorted(text)


@given(CHARS)
def test_what_is_left_has_no_long_stretch(text: str) -> None:
    again = strip_tricks(strip_tricks(text).text).text
    invisible = set("\u200b\u200c\u200d\u2060\ufe0f\u200f\u00ad")
    longest = run = 0
    for char in again:
        run = run + 1 if char in invisible else 0
        longest = max(longest, run)
    assert longest <= 3
