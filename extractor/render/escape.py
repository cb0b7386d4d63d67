"""Keep page text from being read as Markdown, with as few backslashes as possible."""

from __future__ import annotations

import re

from extractor.render.addresses import full_url

_SPECIAL = re.compile(r"[\\`*_\[\]<~&!|$]")
_TITLE = re.compile(r'["\\<&|`]')
_ENTITY_CUT = re.compile(r"&#?\w*\Z")
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_LINE_START = re.compile(
    r"(?P<mark>#{1,6}(?= |$)|[-+*](?= |$)|-(?=-)|>|=+(?= |$)|:(?= |$)|\[(?=[ xX]\](?: |$)))"
    r"|(?P<rule>[|: ]*-[-|: ]*$|\|)"
    r"|(?P<number>\d{1,9})(?=[.)](?: |$))"
)
_HEADING_END = re.compile(r"(^| )(#+)\Z")
_PUNCTUATION = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")
_URL_UNSAFE = str.maketrans(
    {" ": "%20", "(": "%28", ")": "%29", "<": "%3C", ">": "%3E", "|": "%7C", "\\": "%5C"}
)


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
            return in_link or after == "^"
        if char == "]":
            return in_link or not after or after in "([:"
        if char == "<":
            return not after or after.isalpha() or after in "/!?"
        if char == "~":
            return "~" in (before, after) or not after or before != " "
        if char == "&":
            return bool(_ENTITY.match(text, at) or _ENTITY_CUT.match(text, at))
        if char == "$":
            return "$" in (before, after) or before != " " and not after.isdigit()
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


def escape_heading_end(text: str) -> str:
    """Escaped inline text so that a heading does not lose number signs at its end."""
    return _HEADING_END.sub(r"\1\\\2", text)


def link_target(url: str, base_url: str) -> str:
    """An absolute address fit for the parentheses of a link, ``#part`` for one in this page.

    Empty when it is not safe or cannot be read.
    """
    address = url if url.startswith("#") else full_url(url, base_url)
    target = "".join(address.split()).translate(_URL_UNSAFE)
    # A reader of Markdown decodes entities in an address, and might find another scheme.
    return _ENTITY.sub(r"\\\g<0>", target) if "&" in target else target


def link_title(title: str) -> str:
    """A title to stand behind an address, with the space before it; empty when there is none."""
    text = " ".join(title.split())
    if not text:
        return ""
    return ' "' + _TITLE.sub(r"\\\g<0>", text) + '"'


def longest_run(text: str, char: str) -> int:
    """Length of the longest run of ``char`` in ``text``."""
    return max((len(found) for found in re.findall(re.escape(char) + "+", text)), default=0)
