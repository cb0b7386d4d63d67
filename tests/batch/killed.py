"""Runs that are killed: each in a process of its own that ends itself, without notice, at a given point.

``python -m tests.batch.killed OUT SOURCE PORT POINT…``: a point is ``row:2`` (after the second row is kept) or
``file:1`` (after the first file is put in its place). Exits with 0 if every one of them was killed where it should.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from dataclasses import replace
from pathlib import Path

from batch.engine.local import LocalEngine
from batch.plan import Output
from batch.run import Listeners, Run
from batch.sources import Input
from extractor.settings import ExtractorSettings
from tests.batch.pages import plan

ALL = Output(formats=("jsonl", "parquet"), warc=True, shard_rows=4)


def main(out: str, source: str, port: str, *points: str) -> int:
    survived = 0
    for point in points:
        child = os.fork()
        if child == 0:
            where, _, at = point.partition(":")
            run_until(Path(out), source, int(port), where, int(at))
            os._exit(0)
        _, status = os.waitpid(child, 0)
        survived += not (os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL)
    return survived


def run_until(out: Path, source: str, port: int, where: str, at: int) -> None:
    left = at

    def tick(_: object) -> None:
        nonlocal left
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    if where == "file":
        put = Path.replace

        def put_and_tick(self: Path, target: Path) -> Path:
            done = put(self, target)
            tick(None)
            return done

        Path.replace = put_and_tick  # type: ignore[method-assign,assignment]
    settings = ExtractorSettings(allow_hosts=(f"127.0.0.1:{port}",), deadline_s=10)
    with Run(out, Input(source), replace(plan(), output=ALL), settings) as run:
        heard = Listeners(row=tick) if where == "row" else Listeners()
        asyncio.run(run.run(LocalEngine(settings), heard))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
