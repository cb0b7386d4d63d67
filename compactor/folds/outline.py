"""Any text as its first and last lines and what it holds word for word."""

from __future__ import annotations

from compactor.facts.reading import facts_in
from compactor.trust import one_line

_LINE = 140
_ENDS = 2


def outline(text: str, most: int) -> str:
    """First and last lines of a text and its facts, in about ``most`` characters. Linear."""
    lines = [line for line in text.split("\n") if line.strip()]
    first = [one_line(line)[:_LINE] for line in lines[:_ENDS]]
    last = [one_line(line)[:_LINE] for line in lines[_ENDS:][-_ENDS:]]
    room = most - sum(map(len, (*first, *last))) - 40
    held: dict[str, None] = {}
    for found in facts_in(text, "tool", _LINE):
        if found.text in held or any(found.text in other for other in (*first, *last, *held)):
            continue
        if len(found.text) + 3 > room:
            break
        held[found.text] = None
        room -= len(found.text) + 3
    body = [f"holds: {' | '.join(held)}"] if held else []
    return "\n".join((*first, f"… {len(lines):,} lines …", *body, *last))
