"""Where rows go: kept at once, and put into files whenever a shard is full. The same for every engine.

A shard holds the rows of so many lines of the input that follow each other, so that it is the same whatever
engine, pace or crash the run went through.
"""

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from batch.errors import EngineFailed
from batch.outputs import write_shard
from batch.plan import Output
from batch.progress_store import ProgressStore, Shard
from batch.read import Reading
from batch.rows import Row
from batch.task import Task

RowSeen = Callable[[Row], None]
ShardSeen = Callable[[Shard], None]


#: Outcomes that say nothing of a page: every other one would fail alike, for good.
_OURS = frozenset({"browser_missing", "draining", "storage_full"})


def _nothing(_: object) -> None:
    return None


class ShardSink:
    """Keeps rows and closes shards. Implements ``Sink``; may be called from several threads.

    Args:
        folder: of the run.
        store: what was done so far.
        output: what is written.
        row_seen, shard_seen: called for each row kept and each shard closed, in the thread that did it.
    """

    def __init__(
        self,
        folder: Path,
        store: ProgressStore,
        output: Output,
        *,
        row_seen: RowSeen = _nothing,
        shard_seen: ShardSeen = _nothing,
    ) -> None:
        self._folder, self._store, self._output = folder, store, output
        self._row_seen, self._shard_seen = row_seen, shard_seen
        self._lock = threading.RLock()
        self._closed = False
        # Rows come one at a time in any case. One thread for all of them: what shards take while they are
        # written is taken again for the next one, where each thread would keep its own share of it.
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="sink")
        self._done = {shard.number for shard in store.shards()}
        #: By open shard: lines whose rows are there from an earlier process, how many there are, and their
        #: number once it is known.
        self._kept = store.kept()
        self._there = Counter({shard: len(lines) for shard, lines in self._kept.items()})
        self._full: dict[int, int] = {}
        self._shard_of: dict[int, int] = {}

    def todo(self, tasks: Iterator[Task]) -> Iterator[Task]:
        """Of the tasks of a run, all of them in order, those that have no row yet."""
        number, lines = 0, 0
        for task in tasks:
            if lines == self._output.shard_rows:
                self._filled(number, lines)
                number, lines = number + 1, 0
            lines += 1
            with self._lock:
                if number in self._done or task.index in self._kept.get(number, ()):
                    continue
                self._shard_of[task.index] = number
            yield task
        if lines:
            self._filled(number, lines)

    async def put(self, reading: Reading) -> None:
        """See ``Sink``."""
        if self._closed:
            return
        loop = asyncio.get_running_loop()
        await loop.run_in_executor(self._writer, self.put_now, reading)

    def put_now(self, reading: Reading) -> None:
        """``put`` for callers without an event loop; blocks."""
        row = reading.row
        with self._lock:
            shard = self._shard_of.pop(row.index, None)
            if shard is None or self._closed:
                return  # an engine that does a task again after a failure gives its row twice
            if row.outcome in _OURS and row.error is not None:
                raise EngineFailed(f"{row.error.message} Mend it (pagefold doctor), and go on.")
            self._store.keep(shard, row, reading.answer if self._output.warc else None)
            self._there[shard] += 1
            self._row_seen(row)
            self._close_if_full(shard)

    def check_complete(self) -> None:
        """See that no engine lost a task.

        Raises:
            EngineFailed: rows are missing.
        """
        with self._lock:
            missing = len(self._shard_of)
        if missing:
            raise EngineFailed(f"The engine left out {missing:,} rows; run it again to go on.")

    def close(self) -> None:
        """Take no more rows. Those that come late are made again by the next run."""
        with self._lock:
            self._closed = True
        self._writer.shutdown(wait=False)

    def _filled(self, shard: int, lines: int) -> None:
        """All lines of a shard are known."""
        with self._lock:
            self._kept.pop(shard, None)
            if shard not in self._done and not self._closed:
                self._full[shard] = lines
                self._close_if_full(shard)

    def _close_if_full(self, number: int) -> None:
        if self._there[number] != self._full.get(number):
            return
        rows = self._store.rows_of(number)
        files = write_shard(self._folder, number, rows, self._output)
        shard = Shard(number, tuple(files), dict(sorted(self._store.outcomes(number).items())))
        self._store.shut(shard)
        self._done.add(number)
        del self._there[number], self._full[number]
        self._shard_seen(shard)
