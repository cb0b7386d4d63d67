"""Texts without the filter's own words, for whoever counts or trains on the page's."""

from __future__ import annotations

import re

#: A marker of what was left out. Pages cannot imitate one: the renderer breaks what looks like it.
_MARKER = re.compile(r"\[folded f[0-9a-z.~-]*: \d[^\[\]\n]*\]")
_GAP = re.compile(r"\n{3,}")


def without_markers(text: str) -> str:
    """Text or Markdown without markers, and without the gaps that they leave."""
    if "[folded f" not in text:
        return text
    cut = ((line, _MARKER.sub("", line)) for line in text.split("\n"))
    kept = (left for line, left in cut if left.strip() or not line.strip())
    return _GAP.sub("\n\n", "\n".join(kept)).strip("\n")
