"""Rows of earlier runs, so that only what has changed runs again.

A folder holds one file of JSON lines a filter. A row counts again when page, gold, filter, form, budget,
the filter's version and the code that measures are the same; everything else runs. Rows are written as
they come, so a run that was cut off goes on where it stopped.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from pathlib import Path

from testbed.compare.filters import Chosen, choose
from testbed.compare.metrics import Agreement
from testbed.compare.pages import GoldPage, digest
from testbed.compare.run import Plan, Row, run
from testbed.compare.versions import measures, version_of


def run_kept(
    pages: Sequence[GoldPage],
    plan: Plan,
    folder: Path,
    *,
    done: Callable[[GoldPage], None] = lambda page: None,
) -> list[Row]:
    """As ``run``, with what ``folder`` already has; what it lacks is added to it.

    Times of rows that were kept are those of the run that made them. With ``plan.twice`` nothing is
    taken from the folder.
    """
    chosen, _ = choose(plan.filters)
    shelf = _Shelf(folder, chosen, {} if plan.twice else _read(folder, chosen))
    lacking: dict[tuple[str, ...], list[GoldPage]] = {}
    for page in pages:
        lacking.setdefault(shelf.missing(page, plan.budgets), []).append(page)
    folder.mkdir(parents=True, exist_ok=True)

    def finished(page: GoldPage, rows: Sequence[Row]) -> None:
        shelf.put(page, rows)
        done(page)

    for labels, group in lacking.items():
        if labels:
            run(group, replace(plan, filters=labels), done=finished)
        else:
            for page in group:
                done(page)
    return [
        shelf.rows[shelf.key(page, each.label, budget)]
        for page in pages
        for each in chosen
        for budget in plan.budgets
    ]


class _Shelf:
    """Rows by what they depend on."""

    def __init__(self, folder: Path, chosen: Sequence[Chosen], rows: dict[str, Row]) -> None:
        self.rows = rows
        self._files = {each.label: _file(folder, each.label) for each in chosen}
        self._versions = {each.label: version_of(each.filter) for each in chosen}
        self._pages: dict[tuple[str, str], str] = {}

    def key(self, page: GoldPage, label: str, budget: int) -> str:
        """The name of a row."""
        name = page.dataset, page.id
        if name not in self._pages:
            self._pages[name] = _page_key(page)
        return _joined(self._pages[name], label, self._versions[label], str(budget))

    def missing(self, page: GoldPage, budgets: Sequence[int]) -> tuple[str, ...]:
        """Filters that must still run over a page."""
        return tuple(
            label
            for label in self._files
            if any(self.key(page, label, budget) not in self.rows for budget in budgets)
        )

    def put(self, page: GoldPage, rows: Sequence[Row]) -> None:
        """Remember rows, here and in the folder."""
        for row in rows:
            name = self.key(page, row.filter, row.budget)
            self.rows[name] = row
            if not row.error.startswith("over "):  # how slow a machine is may change
                with self._files[row.filter].open("a", encoding="utf-8") as file:
                    file.write("\n" + json.dumps({"key": name, "row": asdict(row)}))


def _read(folder: Path, chosen: Sequence[Chosen]) -> dict[str, Row]:
    found = {}
    for each in chosen:
        file = _file(folder, each.label)
        for line in file.read_text("utf-8").splitlines() if file.is_file() else ():
            try:
                entry = json.loads(line)
            except ValueError:
                continue  # the run that wrote it was cut off
            row = entry["row"]
            found[entry["key"]] = Row(**{**row, "agreement": Agreement(**row["agreement"])})
    return found


def _file(folder: Path, label: str) -> Path:
    return folder / f"{re.sub(r'[^A-Za-z0-9.]+', '-', label)}.jsonl"


def _page_key(page: GoldPage) -> str:
    return _joined(digest([page]), str(page.url), page.kind, page.site, measures())


def _joined(*parts: str) -> str:
    return hashlib.sha256("\n".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:32]
