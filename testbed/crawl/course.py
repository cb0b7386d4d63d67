"""One run of ``pagefold batch`` over the small web, killed as often as wanted and gone on with each time."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from testbed.crawl.addresses import SmallWeb

_STARTUP_S = 1.5
_BATCH = "import sys; from api.cli import app; sys.argv[0] = 'pagefold'; app()"


@dataclass(frozen=True, slots=True)
class Course:
    """What is run, and where.

    Attributes:
        web: what is read; served by ``served``.
        folder: of urls, log and the data set.
        indexes: of the addresses that are read; all by default.
        options: further arguments of ``pagefold batch``.
        settings: further ``PAGEFOLD_…`` variables.
        python: that runs it.
    """

    web: SmallWeb
    folder: Path
    indexes: tuple[int, ...] = ()
    options: tuple[str, ...] = ()
    settings: dict[str, str] = field(default_factory=dict)
    python: str = sys.executable

    @property
    def out(self) -> Path:
        return self.folder / "out"

    @property
    def chosen(self) -> Sequence[int]:
        return self.indexes or range(self.web.pages)

    def start(self) -> subprocess.Popen[str]:
        """Begin, or go on with, the run; its events are lines of its standard output."""
        urls = self.folder / "urls.txt"
        if not urls.exists():
            urls.write_text("".join(f"{self.web.url(index)}\n" for index in self.chosen))
        argv = [self.python, "-c", _BATCH, "batch", str(urls), "--out", str(self.out), "--json"]
        environment = {
            **os.environ,
            "PAGEFOLD_ALLOW_HOSTS": self.web.allow_hosts(),
            "PAGEFOLD_DATA_DIR": str(self.folder / "data"),
            "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
            **self.settings,
        }
        return subprocess.Popen(
            [*argv, *self.options], stdout=subprocess.PIPE, text=True, env=environment
        )

    def finish(self, told: Callable[[int, int], None] = lambda pid, rows: None) -> dict[str, Any]:
        """Run to the end; the last event. ``told`` hears of each row: the process's id, and rows so far.

        Raises:
            RuntimeError: the run failed.
        """
        last: dict[str, Any] = {}
        rows = 0
        with self.start() as process:
            for event in _events(process.stdout):
                last = event
                if event["event"] == "row":
                    rows += 1
                    told(process.pid, rows)
        if last.get("event") != "finished":
            raise RuntimeError(f"the run ended with {process.returncode}: {last}")
        return last

    def kill(self, rows: int, then_s: float) -> int:
        """Run until so many more rows are there and a moment longer, then ``kill -9``; rows that were told.

        A run that ends before is done.
        """
        told = 0
        with self.start() as process:
            for event in _events(process.stdout):
                told += event["event"] == "row"
                if told >= rows:
                    break
            time.sleep(then_s)
            process.kill()
            process.communicate()
        return told


def killed_often(course: Course, kills: int, seed: int = 1) -> list[int]:
    """Kill the run ``kills`` times at random moments, and finish it; how many rows each process told of.

    One in five is killed while it still starts.
    """
    chance = random.Random(seed)
    told: list[int] = []
    for number in range(kills):
        left = len(course.chosen) - sum(told)
        share = max(1, left // (kills - number + 1))
        rows = 0 if number % 5 == 4 else chance.randint(1, share)
        told.append(course.kill(rows, chance.uniform(0, 0.3 if rows else _STARTUP_S)))
    course.finish()
    return told


@contextmanager
def served(pages: int, log: Path, *, only: str | None = None, port: int = 0) -> Iterator[SmallWeb]:
    """The small web in a process of its own while the block runs; on any port where none is named."""
    argv = [
        sys.executable,
        "-m",
        "testbed.crawl",
        "serve",
        "--pages",
        str(pages),
        "--log",
        str(log),
        "--port",
        str(port),
    ]
    argv += ["--only", only] if only else []
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True, env=environment) as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            if not line:
                raise RuntimeError("the small web could not be served")
            yield SmallWeb(pages, int(line), only)
        finally:
            process.terminate()


def _events(stream: IO[str] | None) -> Iterator[dict[str, Any]]:
    assert stream is not None
    for line in stream:
        try:
            event: dict[str, Any] = json.loads(line)
        except ValueError:
            continue  # the last line of a process that was killed
        yield event
