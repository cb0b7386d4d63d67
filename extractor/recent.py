"""Stored snapshots that were used last, in memory with what was found in them.

A snapshot that was just captured is often asked for again, with another budget or question. It is still read
from disk where its file is another one by now, or is gone.
"""

from __future__ import annotations

import os
import stat
from collections import OrderedDict
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


class Recent:
    """Snapshots by file, up to so many nodes in all; the one not used for longest goes first.

    Safe for several threads. 0 nodes keep none.
    """

    def __init__(self, max_nodes: int = 0) -> None:
        self.max_nodes = max_nodes
        self._nodes = 0
        self._lock = Lock()
        self._held: OrderedDict[Path, tuple[Stamp, Snapshot]] = OrderedDict()

    def get(self, path: Path) -> Snapshot | None:
        """What was kept of this file, if it is still the same."""
        if path not in self._held:
            return None
        stamp = stamp_of(path)
        with self._lock:
            held = self._held.get(path)
            if held is None:
                return None
            if held[0] != stamp:
                self._drop(path)
                return None
            self._held.move_to_end(path)
            return held[1]

    def put(self, path: Path, stamp: Stamp | None, snapshot: Snapshot) -> None:
        """Keep what stands in a file; ``stamp`` was taken before it was read, or after it was written."""
        if stamp is None or snapshot.meta.nodes > self.max_nodes or snapshot.pictures:
            return
        with self._lock:
            self._drop(path)
            self._held[path] = stamp, snapshot
            self._nodes += snapshot.meta.nodes
            while self._nodes > self.max_nodes:
                self._drop(next(iter(self._held)))

    def clear(self) -> None:
        """Keep nothing of what there is."""
        with self._lock:
            self._held.clear()
            self._nodes = 0

    def _drop(self, path: Path) -> None:
        held = self._held.pop(path, None)
        if held is not None:
            self._nodes -= held[1].meta.nodes
