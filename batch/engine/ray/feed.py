"""Tasks on their way into the pipeline: taken from the run's own iterator, no faster than rows come out."""

from __future__ import annotations

import asyncio
import pickle
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import ray
from ray.data.block import BlockMetadata
from ray.data.datasource import Datasource, ReadTask

from batch.task import Task

TASK = "task"


class Feed:
    """A short queue of blocks, each some tasks as bytes. Runs as an actor."""

    def __init__(self, blocks: int) -> None:
        self._blocks: asyncio.Queue[list[bytes] | None] = asyncio.Queue(blocks)

    async def put(self, block: list[bytes] | None) -> None:
        """Add a block, when there is room; ``None`` ends the queue."""
        await self._blocks.put(block)

    async def get(self) -> list[bytes] | None:
        """The next block, when there is one; ``None`` at the end."""
        return await self._blocks.get()


class FeedDatasource(Datasource):  # type: ignore[misc]  # Ray is not installed where types are checked
    """Gives Ray Data what comes through a feed."""

    def __init__(self, feed: Any) -> None:  # a handle of Ray's
        super().__init__()
        self._feed = feed

    def estimate_inmemory_data_size(self) -> int | None:
        """Unknown."""
        return None

    def get_read_tasks(self, parallelism: int, *_: Any, **__: Any) -> list[Any]:
        """One task that goes on as long as the run does."""
        feed = self._feed

        def blocks() -> Iterator[pa.Table]:
            while (block := ray.get(feed.get.remote())) is not None:
                yield pa.table({TASK: pa.array(block, pa.binary())})

        nothing_known = BlockMetadata(None, None, None, None)
        return [ReadTask(blocks, nothing_known)]


class Window:
    """How much is on its way: so many tasks, and so many archived bytes, at most. One may always go."""

    def __init__(self, tasks: int, size: int) -> None:
        self._tasks, self._bytes = tasks, size
        self._there: dict[int, int] = {}
        self._held = 0
        self._changed = asyncio.Event()

    async def enter(self, task: Task) -> None:
        """Wait until there is room for ``task``."""
        size = len(task.response.body) if task.response is not None else 0
        while self._there and (len(self._there) >= self._tasks or self._held + size > self._bytes):
            self._changed.clear()
            await self._changed.wait()
        self._there[task.index] = size
        self._held += size

    def leave(self, index: int) -> None:
        """The row of a task has come out."""
        self._held -= self._there.pop(index, 0)
        self._changed.set()

    def is_full_for(self, task: Task) -> bool:
        """Whether ``enter`` would have to wait."""
        size = len(task.response.body) if task.response is not None else 0
        return bool(self._there) and (
            len(self._there) >= self._tasks or self._held + size > self._bytes
        )


def packed(task: Task) -> bytes:
    return pickle.dumps(task, protocol=5)
