"""Whether both engines read the same rows from one web archive, and what they cost beside each other."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from batch.engine.engine import Engine
from batch.engine.local import LocalEngine
from batch.inputs import InputRules
from batch.plan import Pace, Plan, Selection
from batch.run import Run
from batch.sources import Input
from extractor.browser.processes import family
from extractor.settings import ExtractorSettings
from testbed.crawl.judge import differences, rows_of

_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Read:
    """One engine's pass over the archive.

    Attributes:
        name: of the engine, with the number of its actors.
        rows: in the order of the input.
        wall_s: from its start to its end, that of a cluster included.
        cpu_s: of the whole tree of processes, those that are still there at the end.
    """

    name: str
    rows: list[dict[str, Any]]
    wall_s: float
    cpu_s: float


def read_by(name: str, engine: Callable[[], Engine], archive: Path, out: Path, limit: int) -> Read:
    """Read the first ``limit`` answers of an archive into a folder."""
    settings = ExtractorSettings()
    plan = Plan(selection=Selection(limit=limit), pace=Pace(concurrency=os.cpu_count() or 1))
    before, started = _cpu_s(), time.monotonic()
    last = [before]
    with Run(out, Input(str(archive), InputRules(kind="warc")), plan, settings) as run:
        asyncio.run(_watched(run, engine(), last))
    wall_s = time.monotonic() - started
    return Read(name, rows_of(out), wall_s, max(last[0], _cpu_s()) - before)


async def _watched(run: Run, engine: Engine, last: list[float]) -> None:
    """The run, and now and then a look at what its processes have used: a cluster takes its own with it."""

    async def look() -> None:
        while True:
            last[0] = max(last[0], _cpu_s())
            await asyncio.sleep(0.5)

    looking = asyncio.create_task(look())
    try:
        await run.run(engine)
    finally:
        looking.cancel()


def _cpu_s() -> float:
    used = 0
    for each in family(os.getpid()):
        try:
            fields = Path(f"/proc/{each.pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        used += sum(map(int, fields[11:15]))  # own and waited-for children's, user and system
    return used / _TICKS


def compare(
    archive: Path, folder: Path, limit: int, actors: tuple[int, ...] = (1, 2)
) -> list[Read]:
    """Read with the local engine, and with Ray by so many actors each time."""
    from batch.engine.ray import RayEngine, RaySettings  # only this command needs Ray

    def ray(count: int) -> Callable[[], Engine]:
        return lambda: RayEngine(options=RaySettings(actors=count))

    passes = [read_by("local", LocalEngine, archive, folder / "local", limit)]
    for count in actors:
        name = f"ray, {count} actors"
        passes.append(read_by(name, ray(count), archive, folder / f"ray-{count}", limit))
    return passes


def passes_differ(passes: list[Read]) -> list[str]:
    """Where a pass has other rows than the first one."""
    first = passes[0]
    return [
        problem for each in passes[1:] for problem in differences(first.rows, each.rows, each.name)
    ]
