"""The pages on which a filter did worst, and what of each it kept and dropped."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from extractor.encoding import decode
from testbed.compare.filters import choose, plain_text
from testbed.compare.ours import visible
from testbed.compare.pages import GoldPage
from testbed.compare.run import Row
from testbed.compare.source import Source

#: What became of a line: rightly kept, kept though not wanted, dropped though wanted, rightly dropped.
Fate = Literal["kept", "noise", "lost", "dropped"]

_WORD = re.compile(r"\w+")
_MOST = 0.6


@dataclass(frozen=True, slots=True)
class Look:
    """One filter's reading of a page: its lines, top to bottom, each with what became of it."""

    filter: str
    f1: float
    lines: tuple[tuple[str, Fate], ...]


@dataclass(frozen=True, slots=True)
class Worst:
    """A page with two readings of it, ours first, then that of the filter which did best."""

    page: GoldPage
    looks: tuple[Look, ...]


def worst_pages(
    rows: Sequence[Row], pages: Sequence[GoldPage], own: str, *, count: int = 10
) -> list[Worst]:
    """Pages where ``own`` has the lowest F1 of those with a gold text, lowest first."""
    scored = [row for row in rows if not row.budget and row.agreement.f1 is not None]
    mine = sorted(
        (row for row in scored if row.filter == own), key=lambda row: row.agreement.f1 or 0
    )
    by_page = {(page.dataset, page.id): page for page in pages}
    found = []
    for row in mine[:count]:
        page = by_page[row.dataset, row.page]
        same = [each for each in scored if (each.dataset, each.page) == (row.dataset, row.page)]
        best = max(same, key=lambda each: each.agreement.f1 or 0)
        chosen = [row] if best.filter == own else [row, best]
        found.append(Worst(page, tuple(_look(page, each) for each in chosen)))
    return found


def _look(page: GoldPage, row: Row) -> Look:
    source = Source(page.body, decode(page.body, "text/html").text, page.url)
    [chosen], _ = choose([row.filter])
    try:
        output = chosen.filter.load()(source, chosen.form, 0)
    except Exception:  # it failed in the run too; the row says how
        output = ""
    kept = _shingles(plain_text(output, chosen.form))
    wanted = _shingles(page.gold.text or "")
    lines = [line.strip() for line in visible(source, "text", 0).splitlines()]
    fates = tuple((line, _fate(line, kept, wanted)) for line in lines if line)
    return Look(row.filter, row.agreement.f1 or 0.0, fates)


def _fate(line: str, kept: set[tuple[str, ...]], wanted: set[tuple[str, ...]]) -> Fate:
    own = _shingles(line)
    if _covered(own, kept):
        return "kept" if _covered(own, wanted) else "noise"
    return "lost" if _covered(own, wanted) else "dropped"


def _covered(own: set[tuple[str, ...]], other: set[tuple[str, ...]]) -> bool:
    return bool(own) and len(own & other) >= _MOST * len(own)


def _shingles(text: str) -> set[tuple[str, ...]]:
    words = [word.lower() for word in _WORD.findall(text)]
    longer = {tuple(words[start : start + 3]) for start in range(len(words) - 2)}
    # Lines of one or two words are looked for as they are.
    return longer if len(words) > 2 else {tuple(words)} if words else set()
