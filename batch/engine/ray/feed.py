"""Tasks on their way into the pipeline: taken from the run's own iterator, no faster than rows come out."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import ray
from ray.data.block import BlockMetadata
from ray.data.datasource import Datasource, ReadTask

from batch.task import Task

TASKS = "tasks"


class Feed:
    """A short queue of blocks, each a list of tasks as bytes. Runs as an actor."""

    def __init__(self, blocks: int) -> None:
        self._blocks: asyncio.Queue[bytes | None] = asyncio.Queue(blocks)

    async def put(self, block: bytes | None) -> None:
        """Add a block, when there is room; ``None`` ends the queue."""
        await self._blocks.put(block)

    async def get(self) -> bytes | None:
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
                # One row: Ray splits blocks as small as ours are wanted into their rows.
                yield pa.table({TASKS: pa.array([block], pa.large_binary())})

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
        while self.is_full_for(task):
            self._changed.clear()
            await self._changed.wait()
        self._there[task.index] = body_bytes(task)
        self._held += self._there[task.index]

    def leave(self, index: int) -> None:
        """The row of a task has come out."""
        self._held -= self._there.pop(index, 0)
        self._changed.set()

    def is_full_for(self, task: Task) -> bool:
        """Whether ``enter`` would have to wait."""
        over = self._held + body_bytes(task) > self._bytes
        return bool(self._there) and (len(self._there) >= self._tasks or over)


def body_bytes(task: Task) -> int:
    """Of its archived answer; 0 where it has none."""
    return len(task.response.body) if task.response is not None else 0
