"""Stored snapshots that were used last, in memory with what was found in them.

A snapshot that was just captured is often asked for again, with another budget or question. It is still read
from disk where its file is another one by now, or is gone. One larger than all of them together stays while
somebody looks at it.
"""

from __future__ import annotations

import os
import stat
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

from extractor.snapshot import Snapshot

#: What tells a file from the one that was read: device, number, size, and when it and its entry changed.
Stamp = tuple[int, int, int, int, int]


def stamp_of(path: Path) -> Stamp | None:
    """The stamp of a plain file; ``None`` where there is none."""
    try:
        found = os.lstat(path)
    except OSError:
        return None
    if not stat.S_ISREG(found.st_mode):
        return None
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


@dataclass(frozen=True, slots=True)
class Large:
    """What may stay of snapshots that are too large for the others: one, of most so many nodes, until it was
    not asked for in so many seconds."""

    nodes: int = 0
    idle_s: float = 120.0


class Recent:
    """Snapshots by file, up to so many nodes in all; the one not used for longest goes first.

    Safe for several threads. 0 nodes keep none.
    """

    def __init__(
        self,
        max_nodes: int = 0,
        large: Large | None = None,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.max_nodes, self.large = max_nodes, large or Large()
        self._clock = clock
        self._nodes = 0
        self._lock = Lock()
        self._held: OrderedDict[Path, tuple[Stamp, Snapshot]] = OrderedDict()
        self._large: tuple[Path, Stamp, Snapshot] | None = None
        self._large_used = 0.0

    def get(self, path: Path) -> Snapshot | None:
        """What was kept of this file, if it is still the same."""
        if path not in self._held and self._large is None:
            return None
        stamp = stamp_of(path)
        with self._lock:
            if self._large is not None and self._large[0] == path:
                return self._large_one(stamp)
            held = self._held.get(path)
            if held is None:
                return None
            if held[0] != stamp:
                self._drop(path)
                return None
            self._held.move_to_end(path)
            return held[1]

    def put(
        self, path: Path, stamp: Stamp | None, snapshot: Snapshot, *, large: bool = False
    ) -> None:
        """Keep what stands in a file; ``stamp`` was taken before it was read, or after it was written.

        ``large``: also where it takes the place of the only one that is larger than the rest.
        """
        if stamp is None or snapshot.pictures:
            return
        nodes = snapshot.meta.nodes
        if nodes > self.max_nodes:
            if large and nodes <= self.large.nodes:
                with self._lock:
                    self._large = path, stamp, snapshot
                    self._large_used = self._clock()
            return
        with self._lock:
            self._drop(path)
            self._held[path] = stamp, snapshot
            self._nodes += nodes
            while self._nodes > self.max_nodes:
                self._drop(next(iter(self._held)))

    def expire(self) -> None:
        """Let the large one go if nobody has asked for it lately."""
        with self._lock:
            if self._clock() - self._large_used >= self.large.idle_s:
                self._large = None

    def clear(self) -> None:
        """Keep nothing of what there is."""
        with self._lock:
            self._held.clear()
            self._nodes = 0
            self._large = None

    def _large_one(self, stamp: Stamp | None) -> Snapshot | None:
        assert self._large is not None
        if self._large[1] != stamp:
            self._large = None
            return None
        self._large_used = self._clock()
        return self._large[2]

    def _drop(self, path: Path) -> None:
        held = self._held.pop(path, None)
        if held is not None:
            self._nodes -= held[1].meta.nodes
