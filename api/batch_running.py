"""A batch run as a command: what it shows, how it is broken off, and what it exits with."""

from __future__ import annotations

import asyncio
import contextlib
import json
import signal
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import typer
from pydantic import ValidationError
from rich.console import Console

from api.batch_cli import INTERRUPTED, SOME_FAILED
from api.batch_screen import Screen, line_of, screen_for
from api.errors import explain_validation
from batch.engine import Engine, EngineName, engine_named
from batch.errors import BatchError
from batch.inputs import InputReport
from batch.plan import Plan
from batch.rows import Row
from batch.run import Listeners, Outcome, Run
from batch.selection import selected
from batch.sink import RowSeen
from batch.sources import Input
from batch.tally import Tally
from extractor.errors import ExtractorError
from extractor.settings import ExtractorSettings


@dataclass(frozen=True, slots=True)
class Job:
    """What the command line asked for."""

    source: Input
    out: Path
    plan: Plan
    engine: EngineName
    resume: bool
    events: bool


def run_job(job: Job) -> int:
    """Run it; the exit code. Failures are told in one line on standard error."""
    try:
        settings = ExtractorSettings()
        engine = engine_named(job.engine, settings)
        with Run(job.out, job.source, job.plan, settings, resume=job.resume) as run:
            return _exit_code(job, asyncio.run(_followed(job, run, engine)))
    except ValidationError as error:
        field, detail = explain_validation(error)
        return _told(job, "settings", f"setting PAGEFOLD_{field.upper()}: {detail}", 2)
    except (BatchError, ExtractorError) as error:
        return _told(job, error.code, error.message, 1)
    except BaseExceptionGroup as group:
        known = next(_typed(group), None)
        if known is None:
            raise
        return _told(job, known.code, known.message, 1)
    except KeyboardInterrupt:
        again = "run the same command again to go on"
        return _told(job, "interrupted", again, INTERRUPTED)


async def _followed(job: Job, run: Run, engine: Engine) -> Outcome:
    """The run with somebody watching it."""
    tally = Tally(run.so_far(), time.monotonic)
    screen = screen_for(Console(stderr=True), events=job.events)
    listeners = Listeners(row=_both(tally, screen), shard=screen.shard)
    _count(run, tally)
    screen.started(tally.standing())
    _end_on_sigterm()
    following = asyncio.create_task(screen.follow(tally))
    try:
        return await run.run(engine, listeners)
    finally:
        following.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await following


def _both(tally: Tally, screen: Screen) -> RowSeen:
    def seen(row: Row) -> None:
        tally.add(row.outcome)
        screen.row(row)

    return seen


def _count(run: Run, tally: Tally) -> None:
    """Find out how many rows there will be, beside the run; where that takes as long as reading, do not."""
    if not run.input.quickly_counted:
        return

    def count() -> None:
        # Whatever is wrong with the input is told by the run itself.
        with contextlib.suppress(Exception):
            tally.total = sum(1 for _ in selected(run.input.tasks, run.plan.selection))

    threading.Thread(target=count, name="count", daemon=True).start()


def _end_on_sigterm() -> None:
    """SIGTERM ends the run as Ctrl-C does: in order, with everything kept."""
    loop, run = asyncio.get_running_loop(), asyncio.current_task()
    assert run is not None
    loop.add_signal_handler(signal.SIGTERM, signal.raise_signal, signal.SIGINT)


def _exit_code(job: Job, outcome: Outcome) -> int:
    tally = Tally(outcome.outcomes, time.monotonic)
    bad = outcome.read.bad.total()
    failed = outcome.outcomes.total() - outcome.outcomes["ok"] + bad
    code = SOME_FAILED if failed else 0
    if job.events:
        facts = {
            "rows": outcome.outcomes.total(),
            "outcomes": dict(outcome.outcomes),
            "entries": outcome.read.as_json(),
            "duplicates": outcome.duplicates,
        }
        typer.echo(json.dumps({"event": "finished", **facts, "exit_code": code}))
    else:
        repeated = sum((outcome.duplicates or {}).values())
        said = f"{line_of(tally.standing())}{_left_out(outcome.read)}"
        repeats = f" · {repeated} repeat others (duplicates.jsonl)" if repeated else ""
        typer.echo(f"{job.out}: {said}{repeats}", err=True)
    return code


def _left_out(read: InputReport) -> str:
    """What of the input became no row, in words."""
    parts = []
    if read.bad:
        first = read.bad_notes[0]
        parts.append(
            f"{read.bad.total():,} entries cannot be read (the first: {first.place}: {first.detail})"
        )
    if read.repeated:
        parts.append(f"{read.repeated:,} addresses came before")
    if read.skipped:
        reasons = ", ".join(f"{name} {count:,}" for name, count in read.skipped.most_common())
        parts.append(f"passed over: {reasons}")
    return "".join(f"; {part}" for part in parts)


def _told(job: Job, code: str, message: str, exit_code: int) -> int:
    if job.events:
        facts = {"code": code, "message": message, "exit_code": exit_code}
        typer.echo(json.dumps({"event": "failed", **facts}))
    typer.echo(f"pagefold: {code}: {message}", err=True)
    return exit_code


def _typed(group: BaseExceptionGroup[BaseException]) -> Iterator[BatchError | ExtractorError]:
    for error in group.exceptions:
        if isinstance(error, BaseExceptionGroup):
            yield from _typed(error)
        elif isinstance(error, BatchError | ExtractorError):
            yield error
