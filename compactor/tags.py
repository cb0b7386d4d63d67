"""Find the tags of the text protocol inside a string, in linear time, whatever the text holds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import regex

NAMES = ("thinking", "tool_use", "tool_result", "history", "key_info", "summary")
_CDATA = "<![CDATA["
_CDATA_END = "]]>"
_ATTRIBUTE = regex.compile(r"([\w-]{1,40})=\"([^\"]{0,400})\"")


@dataclass(frozen=True, slots=True)
class Tag:
    """``text[start:end]`` is the element, ``text[inner:close]`` what stands in it.

    An element without its end tag reaches to the end of the text; ``closed`` says so.
    """

    name: str
    start: int
    inner: int
    close: int
    end: int
    closed: bool
    attributes: dict[str, str]


def find_tags(text: str, names: Iterable[str] = NAMES) -> list[Tag]:
    """The outermost elements with these names, in order. What stands in CDATA is no tag."""
    found: list[Tag] = []
    opened: tuple[str, int, int, str] | None = None
    depth = 0
    for name, closing, start, end, rest in _events(text, frozenset(names)):
        if opened is None:
            if not closing:
                opened, depth = (name, start, end, rest), 1
            continue
        if name != opened[0]:
            continue
        depth += -1 if closing else 1
        if depth == 0:
            found.append(_tag(opened, start, end, closed=True))
            opened = None
    if opened is not None:
        found.append(_tag(opened, len(text), len(text), closed=False))
    return found


def _tag(opened: tuple[str, int, int, str], close: int, end: int, *, closed: bool) -> Tag:
    name, start, inner, rest = opened
    return Tag(name, start, inner, close, end, closed, dict(_ATTRIBUTE.findall(rest)))


def _events(text: str, names: frozenset[str]) -> Iterator[tuple[str, bool, int, int, str]]:
    """(name, whether it closes, start, end, attributes) of every tag outside CDATA."""
    at = 0
    while (at := text.find("<", at)) >= 0:
        if text.startswith(_CDATA, at):
            stop = text.find(_CDATA_END, at)
            if stop < 0:
                return
            at = stop + len(_CDATA_END)
            continue
        closing = text.startswith("</", at)
        first = at + 1 + closing
        name = next((n for n in names if text.startswith(n, first)), "")
        after = first + len(name)
        stop = text.find(">", after, after + 500) if name else -1
        if stop < 0 or not (text[after] in " \t\n" or stop == after):
            at += 1
            continue
        yield name, closing, at, stop + 1, text[after:stop]
        at = stop + 1
