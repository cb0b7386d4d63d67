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
#: A quoted value with an end of tag in it: where it begins, up to its quote.
_WITH_END = re.compile(r"=\s*+(?:(?=\"[^\">]*+>)|(?='[^'>]*+>))")
#: Each attribute after the first stands behind one of these.
_BETWEEN = re.compile(r"[\s/\"']")


def bounded_width(text: str, most: int) -> tuple[str, int]:
    """Markup whose tags have at most so many attributes, and how many were taken out. Linear."""
    if not _may_be_wide(text, most):
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


def _may_be_wide(text: str, most: int) -> bool:
    """Whether a closer look is needed: without reading every tag, which takes as long as parsing does.

    A tag with so many attributes either goes on for twice as many characters up to the next ``>``, or it
    holds ``>`` in quoted values; around these all that could be attributes are counted.
    """
    for tag in re.finditer(f"<[a-zA-Z][^>]{{{2 * most - 1},}}", text):
        if len(_BETWEEN.findall(tag[0])) >= most:
            return True
    count = 0
    for value in _WITH_END.finditer(text):
        quote = value.end()
        after = text.find(text[quote], quote + 1) % (len(text) + 1)
        before, stop = text.rfind(">", 0, quote) + 1, text.find(">", after) % (len(text) + 1)
        count += len(_BETWEEN.findall(text, before, quote)) + 2
        count += len(_BETWEEN.findall(text, after, stop))
        if count >= most:
            return True
    return False
