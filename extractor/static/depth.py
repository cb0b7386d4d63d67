"""How deep markup nests, counted before it is parsed.

Parsers look through all open elements for many a start tag, so that nesting without end would cost the
square of its depth. Tags past a depth are taken out here; the text between them stays.
"""

from __future__ import annotations

import re

MAX_DEPTH = 512
#: Counted in full from so many tags on, since below that even the square is small.
_MANY_TAGS = 20_000
_CHUNK = 4_096
_TAG = re.compile(r"<(/?)([a-zA-Z][^\s/>]*)[^<>]*>|<!--")
_NO_CONTENT = frozenset(
    "area base br col embed hr img input link meta param source track wbr".split()
)
#: Without end tags, as old pages write them, these do not nest in each other.
_SELF_ENDING = frozenset("p li dt dd option optgroup tr td th thead tbody tfoot rt rp".split())
_RAW = frozenset("script style textarea title xmp iframe noembed noframes plaintext".split())


def bounded_depth(text: str) -> tuple[str, int]:
    """Markup nested no deeper than parsers can bear, and how many tags were taken out. Linear."""
    return _flattened(text) if _may_be_deep(text) else (text, 0)


def _may_be_deep(text: str) -> bool:
    tags = text.count("<")
    if tags < MAX_DEPTH:
        return False
    if tags > _MANY_TAGS:
        return True
    depth = 0
    for start in range(0, len(text), _CHUNK):
        stop = start + _CHUNK
        depth += text.count("<", start, stop) - 2 * text.count("</", start, stop)
        if depth > MAX_DEPTH:
            return True
    return False


def _flattened(text: str) -> tuple[str, int]:
    open_tags: dict[str, int] = {}
    depth = at = last = taken = 0
    out: list[str] = []
    while (match := _TAG.search(text, at)) is not None:
        at = match.end()
        name = (match[2] or "").lower()
        if not name:
            at = _after(text, "-->", at)
        elif match[1]:
            held = open_tags.get(name, 0)
            if not held:
                continue
            open_tags[name] = held - 1
            if depth > MAX_DEPTH:
                out.append(text[last : match.start()] + " ")
                last, taken = at, taken + 1
            depth -= 1
        elif name in _RAW:
            at = _after(text, f"</{name}", at)
        elif name not in _NO_CONTENT and name not in _SELF_ENDING:
            open_tags[name] = open_tags.get(name, 0) + 1
            depth += 1
            if depth > MAX_DEPTH:
                out.append(text[last : match.start()] + " ")
                last, taken = at, taken + 1
    return ("".join(out) + text[last:], taken) if out else (text, 0)


def _after(text: str, mark: str, at: int) -> int:
    """Where a comment or raw text ends; the end of the page when it does not."""
    found = text.find(mark, at)
    if found < 0:
        # Tag names in other letters than these are rare: one more look, ignoring case.
        match = re.compile(re.escape(mark), re.I).search(text, at)
        return match.end() if match else len(text)
    return found + len(mark)
