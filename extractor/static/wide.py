"""Tags with more attributes than a parser can bear: it compares each new one with all before it."""

from __future__ import annotations

import re

#: Comments and raw text as a whole, so that nothing in them is taken for a tag; else one tag to its end.
_PIECE = re.compile(
    r"<!--(?:.*?-->|.*)"
    r"|<(script|style|textarea|title|xmp)(?![^\s/>])(?:.*?</\1|.*)"
    r"|<[a-z][^\s/>]*+((?:[\s/]++|[^\s/>=]++(?:\s*+=\s*+(?:\"[^\"]*+\"|'[^']*+'|[^\s>]++)?+)?+|=)*+)",
    re.I | re.S,
)
_ATTRIBUTE = re.compile(
    r"[^\s/>=][^\s/>=]*+(?:\s*+=\s*+(?:\"[^\"]*+\"|'[^']*+'|[^\s>]++)?+)?+", re.S
)


def bounded_width(text: str, most: int) -> tuple[str, int]:
    """Markup whose tags have at most so many attributes, and how many were taken out. Linear."""
    if len(text) < 2 * most:
        return text, 0
    out: list[str] = []
    last = taken = 0
    for piece in _PIECE.finditer(text):
        start, end = piece.span(2)
        if end - start < 2 * most:
            continue
        found = [each.start() for each in _ATTRIBUTE.finditer(text, start, end)]
        if len(found) > most:
            out.append(text[last : found[most]])
            last, taken = end, taken + len(found) - most
    return ("".join(out) + text[last:], taken) if out else (text, 0)
