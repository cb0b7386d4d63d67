"""What came to the text of a page and what went, from one scan to the next."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from extractor.offline import filter_snapshot
from extractor.snapshot import Snapshot
from extractor.tabs.results import Changes

#: Past every page that is captured.
_WHOLE = 50_000_000
_LINE_CHARS = 500


def changes_between(before: Snapshot, after: Snapshot, most_chars: int) -> Changes:
    """Lines of the visible text that are in one and not in the other, as often as they are. Linear.

    Two documents are not compared.

    ``most_chars`` bounds those that are listed; lines are cut to 500 characters.
    """
    if _document(before) != _document(after):
        return Changes((), (), moved_on=True)
    old, new = _lines(before), _lines(after)
    added, removed = list(_beyond(new, old)), list(_beyond(old, new))
    room = most_chars
    kept: dict[str, list[str]] = {"added": [], "removed": []}
    for name, lines in (("added", added), ("removed", removed)):
        for line in lines:
            cut = line if len(line) <= _LINE_CHARS else f"{line[: _LINE_CHARS - 1]}…"
            if len(cut) > room:
                break
            room -= len(cut)
            kept[name].append(cut)
    return Changes(
        added=tuple(kept["added"]),
        removed=tuple(kept["removed"]),
        moved_on=False,
        more=len(added) + len(removed) - len(kept["added"]) - len(kept["removed"]),
    )


def _lines(snapshot: Snapshot) -> list[str]:
    text = filter_snapshot(snapshot, budget=_WHOLE, format="text").content["text"]
    return [line.strip() for line in text.splitlines() if line.strip()]


def _beyond(these: Sequence[str], those: Sequence[str]) -> Iterator[str]:
    """Those of ``these`` that are more than ``those`` have, in order."""
    left = Counter(those)
    for line in these:
        if left[line]:
            left[line] -= 1
        else:
            yield line


def _document(snapshot: Snapshot) -> str:
    return snapshot.meta.final_url.partition("#")[0]
