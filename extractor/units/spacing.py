"""White space as a page shows it."""

from __future__ import annotations

import re

from extractor.tree import TEXT, Tree

_SPACE = re.compile(r"[ \t\n\f\r]+")


def collapsed(text: str) -> str:
    """``text`` with every stretch of white space as one space. No-break spaces stay."""
    plain = not ("\n" in text or "  " in text or "\t" in text or "\r" in text or "\f" in text)
    return text if plain else _SPACE.sub(" ", text)


def visible_chars(tree: Tree, state: list[int]) -> list[int]:
    """Visible code points inside each node, white space collapsed. Linear."""
    chars = [0] * len(tree)
    tags, texts, parents = tree.tag, tree.text, tree.parent
    for node in range(len(tree) - 1, 0, -1):
        if tags[node] == TEXT and state[node] < 2:
            text = texts[node].strip()
            if text:
                chars[node] = len(collapsed(text))
        if chars[node]:
            chars[parents[node]] += chars[node]
    return chars


def lines_of(data: str) -> list[str]:
    """Preformatted text line by line, cut after LF alone; never empty."""
    parts = data.split("\n")
    lines = [part + "\n" for part in parts[:-1]]
    return [*lines, parts[-1]] if parts[-1] or not lines else lines
