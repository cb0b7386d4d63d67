"""One run from its input to its manifest; a run that was broken off goes on where it was."""

from __future__ import annotations

import asyncio
import os
import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson

from batch.duplicates import DUPLICATES, write_duplicates
from batch.engine import Engine
from batch.errors import OutputDamaged, OutputTaken, RunDiffers
from batch.inputs import InputReport
from batch.manifest import identity, write_manifest
from batch.outputs import check_packages
from batch.outputs.part import TEMPORARY, appearing, sweep
from batch.plan import Plan
from batch.progress_store import ProgressStore
from batch.selection import selected
from batch.sink import RowSeen, ShardSeen, ShardSink
from batch.sources import LISTED, Input
from batch.task import Task
from extractor.settings import ExtractorSettings

STATE = "run.sqlite"
MANIFEST = "manifest.json"
DEAD_LETTERS = "dead-letters.jsonl"


@dataclass(frozen=True, slots=True)
class Listeners:
    """Who hears of a run: of each row that is kept, and of each shard that is closed."""

    row: RowSeen = lambda row: None
    shard: ShardSeen = lambda shard: None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a run.

    ``outcomes`` counts rows by ``ok`` or code; ``resumed`` rows were there before; ``read`` says what came of
    the entries of the input; ``duplicates`` counts them by kind, ``None`` where nobody looked.
    """

    outcomes: Counter[str]
    shards: int
    resumed: int
    read: InputReport
    duplicates: Counter[str] | None = None


class Run:
    """A folder with one run in it. Use as a context manager; one process at a time.

    Args:
        folder: new, empty, or with a run of the same input and plan, which goes on if ``resume``.
        source: its input.
        plan: what is done.
        settings: limits and network rules; from the environment by default.

    Raises:
        OutputTaken: the folder holds something else, or another process works in it.
        RunDiffers: it holds a run of another input or plan.
        OutputDamaged: files of that run are missing or changed.
        InputError: the input cannot be read.
        MissingExtra: a package that a format needs is not installed.
    """

    def __init__(
        self,
        folder: Path,
        source: Input,
        plan: Plan,
        settings: ExtractorSettings | None = None,
        *,
        resume: bool = True,
    ) -> None:
        self.folder, self.source, self.plan = folder, source, plan
        self.settings = settings or ExtractorSettings()
        check_packages(plan.output)
        _check_folder(folder, resume=resume)
        self.input = source.open(folder, self.settings)
        self.identity = identity(self.input, plan)
        self.store = ProgressStore(folder / STATE)
        try:
            self._resume()
        except BaseException:
            self.store.close()
            raise

    def __enter__(self) -> Run:
        return self

    def __exit__(self, *_: object) -> None:
        self.store.close()

    def so_far(self) -> Counter[str]:
        """Rows that are there, by outcome."""
        found = self.store.outcomes()
        for shard in self.store.shards():
            found.update(shard.outcomes)
        return found

    async def run(self, engine: Engine, listeners: Listeners | None = None) -> Outcome:
        """Read what has no row yet, and write manifest and dead letters.

        A call that is cancelled, and a process that is killed, leave a folder that another run goes on with.

        Raises:
            BatchError: the run could not go on.
        """
        heard = listeners or Listeners()
        before = self.so_far().total()
        sink = ShardSink(
            self.folder,
            self.store,
            self.plan.output,
            row_seen=heard.row,
            shard_seen=heard.shard,
        )
        reports: list[InputReport] = []

        def read() -> Iterator[Task]:
            reports.append(InputReport(self.source.rules.kept_notes))
            return self.input.tasks(reports[-1])

        tasks = sink.todo(selected(read, self.plan.selection))
        try:
            await engine.run(tasks, self.plan, sink)
            sink.check_complete()
        except BaseException:
            sink.close()
            self._report(complete=False)
            raise
        for _ in tasks:
            raise RuntimeError("the engine ended before its tasks did")
        sink.close()
        self.store.set_note("finished_at", self.store.note("finished_at") or _now())
        found = await self._duplicates()
        # Of several readings the first one gave the tasks.
        outcomes = self._report(complete=True, read=reports[0], duplicates=found)
        return Outcome(outcomes, sum(1 for _ in self.store.shards()), before, reports[0], found)

    async def _duplicates(self) -> Counter[str] | None:
        rules = self.plan.duplicates
        if rules is None:
            (self.folder / DUPLICATES).unlink(missing_ok=True)  # of a run with other wishes
            return None
        # The first file of a shard has its rows, whatever their format.
        shards = [self.folder / shard.files[0].path for shard in self.store.shards()]
        leaving = threading.Event()
        try:
            return await asyncio.to_thread(
                write_duplicates, self.folder, shards, rules, leaving=leaving
            )
        finally:
            leaving.set()

    def _report(
        self,
        *,
        complete: bool,
        read: InputReport | None = None,
        duplicates: Counter[str] | None = None,
    ) -> Counter[str]:
        """Write dead letters and manifest of the shards that are done."""
        with appearing(self.folder / DEAD_LETTERS) as file:
            file.writelines(line + b"\n" for line in self.store.failures())
        about = {
            "source": self.source.source,
            "started_at": self.store.note("started_at"),
            "finished_at": self.store.note("finished_at"),
            "pace": asdict(self.plan.pace),
            "duplicates": None if duplicates is None else dict(duplicates),
        }
        return write_manifest(
            self.folder / MANIFEST,
            self.identity,
            self.store.shards(),
            complete=complete,
            read=read,
            about=about,
        )

    def _resume(self) -> None:
        ours = _flat(self.identity)
        known = self.store.note("identity")
        if known is None:
            self.store.set_note("identity", orjson.dumps(self.identity).decode())
            self.store.set_note("started_at", _now())
        else:
            _check_same(self.folder, _flat(orjson.loads(known)), ours)
        sweep(self.folder)
        for shard in self.store.shards():
            for file in shard.files:
                path = self.folder / file.path
                if not path.is_file() or path.stat().st_size != file.bytes:
                    raise OutputDamaged(f"{path}: is missing or was changed since it was written")


def _check_folder(folder: Path, *, resume: bool) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        found = os.listdir(folder)
    except OSError as error:
        raise OutputTaken(f"{folder}: {error.strerror}") from error
    if set(found) - {LISTED, f".{LISTED}{TEMPORARY}"} and STATE not in found:
        raise OutputTaken(f"{folder}: holds other files; name a new folder")
    if found and not resume:
        raise OutputTaken(f"{folder}: holds a run; name a new folder, or go on with it")


def _check_same(folder: Path, old: dict[str, Any], new: dict[str, Any]) -> None:
    differing = [name for name in sorted({*old, *new}) if old.get(name) != new.get(name)]
    if differing:
        named = ", ".join(f"{name} ({old.get(name)} there)" for name in differing[:5])
        raise RunDiffers(
            f"{folder}: holds a run that differs in {named}; use the same, or another folder"
        )


def _flat(record: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    """Names with their places: ``content.render``. As JSON gives it back."""
    flat: dict[str, Any] = {}
    for name, value in orjson.loads(orjson.dumps(record)).items():
        if isinstance(value, dict):
            flat |= _flat(value, f"{prefix}{name}.")
        else:
            flat[f"{prefix}{name}"] = value
    return flat


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
