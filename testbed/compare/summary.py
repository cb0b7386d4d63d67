"""Rows of one filter at one budget put together: over all pages, a kind or a language."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from testbed.compare.metrics import harmonic
from testbed.compare.run import Row
from testbed.compare.statistics import Mean, mean

#: What is averaged over pages, by the name it has in every output.
SHARES: dict[str, Callable[[Row], float | None]] = {
    "f1": lambda row: row.agreement.f1,
    "precision": lambda row: row.agreement.precision,
    "recall": lambda row: row.agreement.recall,
    "wanted": lambda row: row.agreement.wanted,
    "unwanted": lambda row: row.agreement.unwanted,
    "retention": lambda row: row.agreement.retention,
    "fields": lambda row: row.agreement.fields,
    "well_formed": lambda row: float(row.well_formed),
    "same_twice": lambda row: float(row.same_twice),
}


@dataclass(frozen=True, slots=True)
class Summary:
    """``shingle_f1`` is the harmonic mean of the mean shares, as that benchmark publishes it; ``macro_f1``
    the mean over kinds; ``snippet_f1`` pools all passages. Times and sizes are medians."""

    filter: str
    budget: int
    pages: int
    errors: int
    shares: dict[str, Mean]
    shingle_f1: float | None
    snippet_f1: float | None
    macro_f1: float | None
    cpu_ms: float
    parses: float
    output_chars: int
    kept: float


def summarise(rows: Sequence[Row]) -> Summary:
    """One line of the table.

    Raises:
        ValueError: there are no rows.
    """
    if not rows:
        raise ValueError("nothing to summarise")
    shares = {
        name: found for name, of in SHARES.items() if (found := mean([of(row) for row in rows]))
    }
    return Summary(
        filter=rows[0].filter,
        budget=rows[0].budget,
        pages=len(rows),
        errors=sum(bool(row.error) for row in rows),
        shares=shares,
        shingle_f1=_shingle_f1(rows),
        snippet_f1=_snippet_f1(rows),
        macro_f1=_macro(rows),
        cpu_ms=statistics.median(row.cpu_ms for row in rows),
        parses=statistics.median(row.parses for row in rows),
        output_chars=round(statistics.median(row.output_chars for row in rows)),
        kept=sum(row.output_chars for row in rows) / max(1, sum(row.source_chars for row in rows)),
    )


def by(rows: Sequence[Row], key: Callable[[Row], str]) -> dict[str, list[Row]]:
    """Rows in groups, the largest group first, then by name."""
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return dict(sorted(groups.items(), key=lambda group: (-len(group[1]), group[0])))


def line_of(row: Row) -> tuple[str, int]:
    """What makes a line of the table: filter and budget."""
    return row.filter, row.budget


def lines(rows: Sequence[Row]) -> dict[tuple[str, int], list[Row]]:
    """Rows of each filter and budget, in the order in which they were asked for."""
    found: dict[tuple[str, int], list[Row]] = {}
    for row in rows:
        found.setdefault(line_of(row), []).append(row)
    return found


def _shingle_f1(rows: Sequence[Row]) -> float | None:
    precision = [each for row in rows if (each := row.agreement.shingle_precision) is not None]
    recall = [each for row in rows if (each := row.agreement.shingle_recall) is not None]
    if not precision or not recall:
        return None
    return harmonic(statistics.fmean(precision), statistics.fmean(recall))


def _snippet_f1(rows: Sequence[Row]) -> float | None:
    hit = sum(row.agreement.wanted_hits for row in rows)
    wanted = sum(row.agreement.wanted_count for row in rows)
    wrong = sum(row.agreement.unwanted_hits for row in rows)
    if not wanted:
        return None
    return harmonic(hit / (hit + wrong) if hit + wrong else 0.0, hit / wanted)


def _macro(rows: Sequence[Row]) -> float | None:
    kinds = by(rows, lambda row: row.kind)
    means = [
        found.value for each in kinds.values() if (found := mean([r.agreement.f1 for r in each]))
    ]
    return statistics.fmean(means) if means else None
