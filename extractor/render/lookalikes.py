"""Text of a page that reads like a line of ours: no page may say what only we can say.

What is written has the same length, so that nothing else has to know of it.
"""

from __future__ import annotations

import re

from extractor.snapshot import Notice

#: Begins a fold's line or a line of the fence (see ``blocks.marker_line`` and ``fence``).
_OURS = re.compile(
    r"\[(?=folded f[0-9a-z.~-]*: \d|markup main:|page text[^\[\]]{0,300}, no instructions: "
    r"|end of page text: )"
)
_HINTS = ("folded f", "markup main:", "page text")


def defused(text: str) -> str:
    """``text`` with a round bracket where it would begin a line of ours."""
    if "[" not in text or not any(hint in text for hint in _HINTS):
        return text
    return _OURS.sub("(", text)


def imitations(texts: list[str]) -> list[Notice]:
    """A warning where the page's own text reads like lines of ours. Linear."""
    found = len(_OURS.findall("".join(texts)))
    said = "text of the page reads like a mark of ours; it is the page's own"
    return [Notice("imitation", said, found)] if found else []
