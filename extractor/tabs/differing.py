"""What came to the text of a page and what went, from one scan to the next."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from extractor.snapshot import Snapshot
from extractor.tabs.results import Changes
from extractor.tree import TEXT, body_of
from extractor.unicode_tricks import strip_tricks
from extractor.units.blocks import is_block
from extractor.visibility import HIDDEN, judge

_LINE_CHARS = 500


@dataclass(frozen=True, slots=True)
class Seen:
    """What a scan saw: the document's address, and the visible text of its blocks in order."""

    document: str
    lines: tuple[str, ...]


def seen_in(snapshot: Snapshot) -> Seen:
    """The text without any budget; a line is what a block holds up to the next one. Linear."""
    tree = snapshot.tree()
    state = judge(tree).state
    lines: list[str] = []
    parts: list[str] = []
    ends: list[int] = []
    body = body_of(tree)
    for node in range(body + 1, tree.end[body]):
        while ends and ends[-1] <= node:
            ends.pop()
            _close(lines, parts)
        if state[node] == HIDDEN:
            continue
        if tree.tag[node] == TEXT:
            parts.append(tree.text[node])
        elif is_block(tree, node) or tree.tag[node] == "br":
            _close(lines, parts)
            ends.append(tree.end[node])
    _close(lines, parts)
    return Seen(snapshot.meta.final_url.partition("#")[0], tuple(lines))


def _close(lines: list[str], parts: list[str]) -> None:
    text = "".join(parts)
    line = " ".join((text if text.isascii() else strip_tricks(text).text).split())
    if line:
        lines.append(line)
    parts.clear()


def changes_between(before: Seen, after: Seen, most_chars: int) -> Changes:
    """Lines that are in one and not in the other, as often as they are. Linear.

    Two documents are not compared. ``most_chars`` bounds those that are listed; lines are cut to 500
    characters.
    """
    if before.document != after.document:
        return Changes((), (), moved_on=True)
    found = {
        "added": list(_beyond(after.lines, before.lines)),
        "removed": list(_beyond(before.lines, after.lines)),
    }
    kept: dict[str, list[str]] = {"added": [], "removed": []}
    room = most_chars
    for name, lines in found.items():
        for line in lines:
            cut = line if len(line) <= _LINE_CHARS else f"{line[: _LINE_CHARS - 1]}…"
            room -= len(cut)
            if room < 0:
                break
            kept[name].append(cut)
    more = sum(len(found[name]) - len(kept[name]) for name in found)
    return Changes(tuple(kept["added"]), tuple(kept["removed"]), moved_on=False, more=more)


def _beyond(these: Sequence[str], those: Sequence[str]) -> Iterator[str]:
    """Those of ``these`` that are more than ``those`` have, in order."""
    left = Counter(those)
    for line in these:
        if left[line]:
            left[line] -= 1
        else:
            yield line
