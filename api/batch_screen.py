"""What ``pagefold batch`` shows while it runs: bars for people, a line for logs, events for machines."""

from __future__ import annotations

import asyncio
import json
import sys
from dataclasses import asdict
from typing import Protocol

from rich.console import Console
from rich.live import Live
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

from batch.progress_store import Shard
from batch.rows import Row
from batch.tally import Standing, Tally

_REFRESH_S = 0.5
_LOG_EVERY_S = 10.0
_MOST_CODES = 8


class Screen(Protocol):
    """Shows how a run goes. ``row`` and ``shard`` are called in other threads."""

    def started(self, standing: Standing) -> None:
        """The run begins, or goes on."""
        ...

    def row(self, row: Row) -> None:
        """A row is there."""
        ...

    def shard(self, shard: Shard) -> None:
        """A shard is there."""
        ...

    async def follow(self, tally: Tally) -> None:
        """Show where the run stands until this is cancelled."""
        ...


class EventScreen:
    """One JSON object a line on standard output."""

    def started(self, standing: Standing) -> None:
        self._say("started", rows=standing.rows, total=standing.total)

    def row(self, row: Row) -> None:
        self._say("row", index=row.index, url=row.url, outcome=row.outcome, attempts=row.attempts)

    def shard(self, shard: Shard) -> None:
        files = [asdict(file) for file in shard.files]
        self._say("shard", number=shard.number, rows=shard.rows, files=files)

    async def follow(self, tally: Tally) -> None:
        while True:
            await asyncio.sleep(1)
            standing = tally.standing()
            self._say("progress", **_rounded(standing))

    @staticmethod
    def _say(event: str, **facts: object) -> None:
        # One write a line: rows come from several threads.
        sys.stdout.write(json.dumps({"event": event, **facts}) + "\n")
        sys.stdout.flush()


class LogScreen:
    """A line on standard error now and then; where nobody watches."""

    def started(self, standing: Standing) -> None:
        if standing.rows:
            print(f"going on after {standing.rows:,} rows", file=sys.stderr)

    def row(self, row: Row) -> None:
        return

    def shard(self, shard: Shard) -> None:
        return

    async def follow(self, tally: Tally) -> None:
        while True:
            await asyncio.sleep(_LOG_EVERY_S)
            print(line_of(tally.standing()), file=sys.stderr, flush=True)


class LiveScreen:
    """A bar, the rate and the failures, on a terminal."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def started(self, standing: Standing) -> None:
        if standing.rows:
            self._console.print(f"Going on after {standing.rows:,} rows.")

    def row(self, row: Row) -> None:
        return

    def shard(self, shard: Shard) -> None:
        return

    async def follow(self, tally: Tally) -> None:
        bar = Progress(
            TextColumn("{task.completed:,.0f} pages"),
            BarColumn(),
            TaskProgressColumn(),
            TimeElapsedColumn(),
            TextColumn("{task.description}"),
            console=self._console,
        )
        task = bar.add_task("", total=None)
        with Live(console=self._console, refresh_per_second=4, transient=True) as live:
            while True:
                standing = tally.standing()
                bar.update(
                    task,
                    completed=standing.rows,
                    total=standing.total,
                    description=f"{standing.pages_per_s:.1f} pages/s{_eta(standing)}",
                )
                live.update(_with_failures(bar, standing))
                await asyncio.sleep(_REFRESH_S)


def screen_for(console: Console, *, events: bool) -> Screen:
    """What suits where the output goes."""
    if events:
        return EventScreen()
    return LiveScreen(console) if console.is_terminal else LogScreen()


def line_of(standing: Standing) -> str:
    """A standing in one line."""
    total = f" of {standing.total:,}" if standing.total is not None else ""
    failures = ", ".join(f"{code} {count:,}" for code, count in standing.failures.items())
    parts = [
        f"{standing.rows:,}{total} rows",
        *([f"{standing.pages_per_s:.1f} pages/s{_eta(standing)}"] if standing.pages_per_s else []),
        f"failed: {failures or 'none'}",
    ]
    return ", ".join(parts)


def _with_failures(bar: Progress, standing: Standing) -> Table:
    grid = Table.grid()
    grid.add_row(bar)
    shown = list(standing.failures.items())[:_MOST_CODES]
    more = len(standing.failures) - len(shown)
    words = [f"{code} {count:,}" for code, count in shown]
    if more:
        words.append(f"and {more} more codes")
    if words:
        grid.add_row(f"failed: {', '.join(words)}")
    return grid


def _eta(standing: Standing) -> str:
    if standing.eta_s is None:
        return ""
    minutes, seconds = divmod(round(standing.eta_s), 60)
    hours, minutes = divmod(minutes, 60)
    return f", {hours}:{minutes:02}:{seconds:02} left"


def _rounded(standing: Standing) -> dict[str, object]:
    facts = asdict(standing)
    facts["pages_per_s"] = round(standing.pages_per_s, 2)
    facts["eta_s"] = None if standing.eta_s is None else round(standing.eta_s, 1)
    return facts
