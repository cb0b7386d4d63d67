"""Where a text may be cut without cutting a character as people see it (UAX 29)."""

from __future__ import annotations

import regex

_GRAPHEME = regex.compile(r"\X")


def cut_within(text: str, start: int, limit: int) -> int:
    """The last grapheme boundary within ``limit`` of ``start``; ``start`` where there is none.

    O(limit): a cluster longer than that is not read to its end.
    """
    end = start
    # One more code point tells whether the last cluster goes on.
    for match in _GRAPHEME.finditer(text, start, start + limit + 1):
        if match.end() - start > limit:
            return end
        end = match.end()
    return end


def cut_after(text: str, start: int) -> int:
    """The end of the grapheme at ``start``."""
    match = _GRAPHEME.match(text, start)
    return match.end() if match else len(text)
