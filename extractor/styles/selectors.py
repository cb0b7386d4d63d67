"""Selectors: cut into single ones, ranked, and matched by lexbor.

Source: Selectors Level 4 (specificity, forgiving lists).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

_STATE = (
    r"(?:-webkit-|-moz-)?(?:hover|focus-visible|focus-within|focus|active|visited|target|popover-open|"
    r"fullscreen|modal|playing|autofill|user-invalid|user-valid|open|picture-in-picture)"
)
#: A state that no static page is in.
_IN_STATE = re.compile(rf":{_STATE}(?![\w-])", re.I)
_NOT_IN_STATE = re.compile(rf":not\(\s*:{_STATE}\s*\)", re.I)
_PSEUDO_ELEMENT = re.compile(
    r"::|:(?:before|after|first-line|first-letter|host|slotted)(?![\w-])", re.I
)
_STRINGS = re.compile(r""""[^"]*"|'[^']*'""")
_WHERE = re.compile(r":where\([^()]*\)", re.I)
_IDS = re.compile(r"#[\w\ue000-\ue07f-]")
_CLASSES = re.compile(
    r"\.[\w\ue000-\ue07f-]|\[|(?<!:):(?!:|not\(|is\(|has\(|where\(|matches\()[\w-]", re.I
)
_TYPES = re.compile(r"::[\w-]+|(?:^|[\s>+~(,])[a-z][\w-]*", re.I)
_FUNCTIONS = re.compile(r"\([^()]*\)")
_KEY = re.compile(r"([#.])((?:[\w-]|[^\x00-\x7f])+)")
_ESCAPE = re.compile(r"\\(.)", re.S)
_HEX_ESCAPE = re.compile(r"\\[0-9a-f]", re.I)
#: An escaped character counts as part of a name: it is moved out of the way of the patterns here.
_PRIVATE = 0xE000
_AWAY = re.compile("[\ue000-\ue07f]")
#: Matching these can cost the number of nodes for each node.
COSTLY = re.compile(r"[~+]|:nth|:has|:first|:last|:only")
_MAX_COMPOUNDS = 12
_MAX_CHARS = 400


@dataclass(frozen=True, slots=True)
class Selector:
    """One selector that lexbor may match, its specificity, and the ids and classes that it needs."""

    text: str
    specificity: tuple[int, int, int]
    needs: tuple[tuple[str, str], ...]


@lru_cache(maxsize=20_000)
def selectors_of(text: str) -> tuple[Selector, ...]:
    """The selectors of a list that can match an element of a page at rest."""
    found = []
    for part in split_list(_ESCAPE.sub(_hidden_away, text)):
        part = _NOT_IN_STATE.sub("", part).strip()
        if not part or len(part) > _MAX_CHARS or _IN_STATE.search(part):
            continue
        if _PSEUDO_ELEMENT.search(part) or len(part.split()) > _MAX_COMPOUNDS:
            continue
        needs = () if _HEX_ESCAPE.search(text) else _needs(part)
        written = _AWAY.sub(lambda char: "\\" + _back(char[0]), part)
        found.append(Selector(written, specificity_of(part), needs))
    return tuple(found)


def _hidden_away(escape: re.Match[str]) -> str:
    char = escape[1]
    return chr(_PRIVATE + ord(char)) if ord(char) < 0x80 else char


def _back(char: str) -> str:
    return chr(ord(char) - _PRIVATE)


def split_list(text: str) -> list[str]:
    """Cut at commas that stand in no brackets and no string."""
    if not any(char in text for char in "([\"'"):
        return text.split(",")
    parts, start, depth, quote = [], 0, 0, ""
    for index, char in enumerate(text):
        if quote:
            quote = "" if char == quote else quote
        elif char in "\"'":
            quote = char
        elif char in "([":
            depth += 1
        elif char in ")]":
            depth -= 1
        elif char == "," and depth <= 0:
            parts.append(text[start:index])
            start = index + 1
    return [*parts, text[start:]]


def specificity_of(selector: str) -> tuple[int, int, int]:
    """Ids, classes and types. Of the arguments of ``:is`` and ``:not`` all count, not the highest alone."""
    plain = _WHERE.sub("", _STRINGS.sub("", selector))
    return (len(_IDS.findall(plain)), len(_CLASSES.findall(plain)), len(_TYPES.findall(plain)))


def _needs(selector: str) -> tuple[tuple[str, str], ...]:
    """Ids and classes without which nothing can match: those outside of functions and brackets."""
    plain = _STRINGS.sub("", selector)
    while "(" in plain:
        shorter = _FUNCTIONS.sub("", plain)
        if shorter == plain:
            return ()
        plain = shorter
    plain = re.sub(r"\[[^\]]*\]", "", plain)
    found = _KEY.findall(plain)
    return tuple((kind, _AWAY.sub(lambda char: _back(char[0]), name)) for kind, name in found)
