"""One process of the pool: browsers, the way out, and the same ``read`` as on one machine."""

from __future__ import annotations

import asyncio
import atexit
import pickle
import queue
import threading
import time
from collections.abc import Iterator
from contextlib import AsyncExitStack
from dataclasses import replace
from typing import Any

import pyarrow as pa

from batch.engine.ray.desk import DeskTurns
from batch.engine.ray.feed import TASKS
from batch.plan import Plan
from batch.read import Reading, read
from batch.readers import Readers, open_readers
from batch.task import Task
from extractor.settings import ExtractorSettings

READINGS = "readings"
_CLOSE_S = 20.0
#: What is killed meanwhile is read again.
_GATHER_S = 0.5


class Browsers:
    """Reads blocks of tasks; called from several threads at once. Ray keeps one for each actor.

    Args:
        plan: ``pace.concurrency`` counts this process alone.
        settings: limits and network rules.
        desk: hands out turns at hosts for all processes.
    """

    def __init__(self, plan: Plan, settings: ExtractorSettings, desk: Any) -> None:
        self._plan = plan
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="browsers", daemon=True)
        self._thread.start()
        self._stack = AsyncExitStack()
        opening = self._stack.enter_async_context(
            open_readers(plan, settings, turns=DeskTurns(desk))
        )
        self._readers: Readers = asyncio.run_coroutine_threadsafe(opening, self._loop).result()
        atexit.register(self.close)

    def __call__(self, block: pa.Table) -> Iterator[pa.Table]:
        """Readings of the block's tasks; those that are there at about the same time travel in one row."""
        found: queue.SimpleQueue[Reading] = queue.SimpleQueue()
        tasks: list[Task] = [
            task for row in block.column(TASKS).to_pylist() for task in pickle.loads(row)
        ]
        for each in tasks:
            asyncio.run_coroutine_threadsafe(self._read(each, found), self._loop)
        left = len(tasks)
        while left:
            ready = _gathered(found, left)
            left -= len(ready)
            yield pa.table(
                {READINGS: pa.array([pickle.dumps(ready, protocol=5)], pa.large_binary())}
            )

    def close(self) -> None:
        """End the browsers; no process is left."""
        if self._thread.is_alive():
            ending = asyncio.run_coroutine_threadsafe(self._stack.aclose(), self._loop)
            ending.result(_CLOSE_S)
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join(_CLOSE_S)

    def __del__(self) -> None:
        # Ray drops the pool's objects one by one before it ends their processes.
        self.close()

    async def _read(self, task: Task, found: queue.SimpleQueue[Reading]) -> None:
        reading = await read(task, self._readers)
        if not self._plan.output.warc:
            reading = replace(reading, answer=None)  # its body would travel for nothing
        found.put(reading)


def _gathered(found: queue.SimpleQueue[Reading], most: int) -> list[Reading]:
    """The next reading, and those that follow it within a moment: each journey costs, and so does waiting."""
    ready = [found.get()]
    until = time.monotonic() + _GATHER_S
    while len(ready) < most:
        try:
            ready.append(found.get(timeout=max(0.0, until - time.monotonic())))
        except queue.Empty:
            break
    return ready
