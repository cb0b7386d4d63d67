"""Keep page text from being read as Markdown, with as few backslashes as possible."""

from __future__ import annotations

import re
from urllib.parse import urljoin

_SPECIAL = re.compile(r"[\\`*_\[\]<~&!|]")
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_LINE_START = re.compile(
    r"(?P<mark>#{1,6}(?= |$)|[-+*](?=[ -]|$)|>|=+(?= |$)|:(?= |$)|\[(?=[ xX]\]))"
    r"|(?P<number>\d{1,9})(?=[.)](?: |$))"
)
_PUNCTUATION = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")
_URL_UNSAFE = {" ": "%20", "(": "%28", ")": "%29", "<": "%3C", ">": "%3E", "|": "%7C", "\\": "%5C"}


def escape_inline(text: str, *, in_link: bool, in_cell: bool) -> str:
    """``text`` as Markdown inline content, wherever on a line it stands.

    Does not depend on what stands next to it, so that a piece is as long in every subset.
    """

    def escaped(match: re.Match[str]) -> str:
        char = match.group()
        at = match.start()
        before = text[at - 1] if at else ""
        after = text[at + 1] if at + 1 < len(text) else ""
        return "\\" + char if _matters(char, before, after, at) else char

    def _matters(char: str, before: str, after: str, at: int) -> bool:
        if char == "`":
            return True
        if char == "*":
            return not (before == " " and after == " ")
        if char == "_":
            return not ((before.isalnum() and after.isalnum()) or (before == " " and after == " "))
        if char == "\\":
            return not after or after in _PUNCTUATION
        if char == "[":
            return in_link
        if char == "]":
            return in_link or not after or after in "([:"
        if char == "<":
            return not after or after.isalpha() or after in "/!?"
        if char == "~":
            return "~" in (before, after) or not after or not before
        if char == "&":
            return _ENTITY.match(text, at) is not None
        if char == "|":
            return in_cell
        return not after or after == "["

    return _SPECIAL.sub(escaped, text)


def escape_line_start(text: str) -> str:
    """Escaped inline text so that it starts no list, heading, quote or rule."""
    match = _LINE_START.match(text)
    if match is None:
        return text
    if match.group("number"):
        return f"{match.group('number')}\\{text[match.end() :]}"
    return "\\" + text


def markdown_url(url: str, base_url: str) -> str:
    """An absolute address fit for the parentheses of a link; empty when it cannot be read."""
    try:
        absolute = urljoin(base_url, url) if base_url else url
    except ValueError:
        absolute = url
    absolute = "".join(absolute.split("\n")).replace("\t", "").replace("\r", "")
    return "".join(_URL_UNSAFE.get(char, char) for char in absolute)


def longest_run(text: str, char: str) -> int:
    """Length of the longest run of ``char`` in ``text``."""
    return max((len(found) for found in re.findall(re.escape(char) + "+", text)), default=0)
