"""Facts of one word: paths, URLs, identifiers; and numbers with their units.

A text is split once and each different word is looked at once, so that the cost is that of the split.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from compactor.facts.kinds import Found

_LONGEST_WORD = 200
_WORD = re.compile(rf"[^\s\"'`()\[\]{{}}<>,;|=*]{{3,{_LONGEST_WORD}}}")
_SIGNS = "\"'`()[]{}<>,;|=*"
_SEPARATORS = str.maketrans(dict.fromkeys(_SIGNS, " "))
_EDGE = ".:!?…-–—&\\"
_URL = re.compile(r"\b[a-z][a-z0-9+.-]{1,15}://[^\s/\"'`<>][^\s\"'`<>|)\]}]{0,400}", re.IGNORECASE)
_PATH = re.compile(
    r"(?:[A-Za-z]:|~|\.{1,2})?[/\\]?[\w.@+%$-]+(?:[/\\][\w.@+%$-]+)*[/\\]?", re.ASCII
)
_FILE = re.compile(r"[\w@+-][\w.@+-]*\.[A-Za-z][A-Za-z0-9]{0,4}")
_LINE_NUMBER = re.compile(r"(?::\d+){1,2}$")
_DATE_OR_SHARE = re.compile(r"[\d/.-]+")
_NAME = re.compile(r"[@#$]?\w[\w.:-]*\w")
_CAMEL = re.compile(r"[a-z0-9][A-Z]|[A-Z]{2}[a-z]")
_DIGIT = re.compile(r"\d")
_LETTER = re.compile(r"[^\W\d_]")
# It starts with a digit so that the search can skip to one, and then looks at what stands before: a
# currency, or nothing that the number would be a part of. Without a currency it needs a unit.
_UNIT = (
    r"(?:\s?(?:%|°C|[kKMGT]i?B|[kMG]?bit/s|bytes?|[mµun]?s|sec(?:ond)?s?|min(?:ute)?s?|hours?|days?|weeks?|h"
    r"|[kMG]?Hz|px|pt|mm|cm|km|m|kg|mg|g|[kM]?W|V|tokens?|chars?|characters?|rows?|lines?|requests?|errors?|items?"
    r"|files?|retries|connections?|USD|EUR|GBP|CNY|JPY|€|£|\$|秒|分钟|小时|天|元|次|个)(?!\w))"
)
_NUMBER = re.compile(
    rf"[0-9](?:(?<=[$€£¥][0-9])[0-9.,]*+{_UNIT}?|(?<![\w.,/#:-][0-9])[0-9.,]*+{_UNIT})"
)
_EXTENSIONS = frozenset(
    "py js ts tsx jsx mjs c h cc cpp hpp rs go java kt rb php cs swift scala sh bash zsh sql html htm css "
    "scss md rst txt json jsonl yaml yml toml ini cfg conf env lock log csv tsv parquet xml svg png jpg "
    "jpeg gif pdf zip gz tar tgz whl db sqlite ipynb proto vue lua pl r ex exs erl hs tf bak tmp".split()
)


def split_words(text: str) -> list[str]:
    """The words of a text without the punctuation around them."""
    return [word.strip(_EDGE) for word in _WORD.findall(text)]


def words_of(text: str) -> Iterator[Found]:
    """Paths, URLs and identifiers of a text, each once, in the order in which they first stand there."""
    if "://" in text:
        for url in dict.fromkeys(_URL.findall(text)):
            yield Found("url", url.rstrip(_EDGE))
    for word in _each_word(text):
        found = classified(word)
        if found is not None and found.kind != "url":
            yield found


def _each_word(text: str) -> Iterable[str]:
    """What ``_WORD`` finds, each once, and words that are too short: without a search, which is slower."""
    if text.isascii():
        spaced = text.translate(_SEPARATORS)
    else:
        spaced = text
        for sign in _SIGNS:
            spaced = spaced.replace(sign, " ")
    words = dict.fromkeys(spaced.split())
    if words and max(map(len, words)) > _LONGEST_WORD:
        return dict.fromkeys(_WORD.findall(text))
    return words


@lru_cache(maxsize=8_192)  # the same words come again and again
def classified(word: str) -> Found | None:
    """What a word is; ``None`` for a word of a language."""
    word = word.strip(_EDGE)
    if len(word) < 3:
        return None
    if "://" in word:
        match = _URL.search(word)
        return Found("url", match[0]) if match else None
    if word.startswith("/dev/"):
        return None
    if "/" in word or "\\" in word:
        return _path(word)
    bare = _LINE_NUMBER.sub("", word)
    if _FILE.fullmatch(bare) and bare.rpartition(".")[2].lower() in _EXTENSIONS:
        return Found("path", bare)
    return Found("identifier", word) if is_identifier(word) else None


def is_identifier(word: str) -> bool:
    """Whether a word is a name that somebody made up: no language has it in its dictionary."""
    if not _NAME.fullmatch(word):
        return False
    if "_" in word.strip("_") or _CAMEL.search(word):
        return _LETTER.search(word) is not None
    digits = _DIGIT.search(word) is not None
    if digits and _LETTER.search(word):
        return len(word) >= 4
    if digits:
        return len(word) >= 5 and word.isdigit()
    return "." in word and word.islower() and min(map(len, word.split("."))) >= 2


def numbers_of(text: str) -> Iterator[Found]:
    """Numbers with their unit or currency, and the words just before them, each number once."""
    known: set[str] = set()
    for match in _NUMBER.finditer(text):
        number, start = match[0].rstrip(".,"), match.start()
        if number not in known:
            known.add(number)
            yield Found("number", f"{_before(text, start)}{number}", value=number)


def _before(text: str, at: int) -> str:
    """The words of the same clause before a place."""
    start = max(text.rfind("\n", 0, at) + 1, at - 48)
    words = text[start:at]
    cut = max(map(words.rfind, (". ", "; ", ", ", " (", " - ", "? ", "! ")))
    if cut >= 0:
        words = words[cut + 2 :]
    elif start > 0 and text[start - 1] != "\n":
        words = words.partition(" ")[2]
    return words.lstrip()


def _path(word: str) -> Found | None:
    bare = _LINE_NUMBER.sub("", word)
    if _DATE_OR_SHARE.fullmatch(bare) or not _PATH.fullmatch(bare):
        return None
    if bare[0] == "/" and bare[1:].isalpha():
        return None  # the end of an element, or a command of a chat
    # "and/or", "read/write": words that share a slash, unless they look like a place.
    rooted = bare[0] in "/~." or bare[1:2] == ":" or bare.count("/") + bare.count("\\") > 1
    if not rooted and "." not in bare and not any(map(is_identifier, re.split(r"[/\\]", bare))):
        return None
    return Found("path", bare)
