"""One process of the pool: browsers, the way out, and the same ``read`` as on one machine."""

from __future__ import annotations

import asyncio
import atexit
import pickle
import queue
import threading
from collections.abc import Iterator
from contextlib import AsyncExitStack
from dataclasses import replace
from typing import Any

import pyarrow as pa

from batch.engine.ray.desk import DeskTurns
from batch.engine.ray.feed import TASK
from batch.plan import Plan
from batch.read import read
from batch.readers import Readers, open_readers
from batch.task import Task
from extractor.settings import ExtractorSettings

READING = "reading"
_CLOSE_S = 20.0


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
        """A reading for each task, each as soon as it is there."""
        found: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        packed: list[bytes] = block.column(TASK).to_pylist()
        for each in packed:
            asyncio.run_coroutine_threadsafe(self._read(each, found), self._loop)
        for _ in packed:
            yield pa.table({READING: pa.array([found.get()], pa.large_binary())})

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

    async def _read(self, packed: bytes, found: queue.SimpleQueue[bytes]) -> None:
        task: Task = pickle.loads(packed)
        reading = await read(task, self._readers)
        if not self._plan.output.warc:
            reading = replace(reading, answer=None)  # its body would travel for nothing
        found.put(pickle.dumps(reading, protocol=5))
