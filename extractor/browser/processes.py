"""What the system says about processes: which belong together, what they hold, how to end them.

Read from ``/proc``. Where there is none, nothing is known: lists are empty and nothing is killed.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

_PROC = Path("/proc")
_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
_PROFILE = "--user-data-dir="


@dataclass(frozen=True, slots=True)
class Process:
    """One process. ``started`` (clock ticks since boot) tells it from a later one with the same ``pid``."""

    pid: int
    parent: int
    group: int
    state: str
    started: int

    @property
    def alive(self) -> bool:
        """Whether it is more than an entry that waits for its parent."""
        return self.state not in "ZX"

    @property
    def running(self) -> bool:
        """Whether it can do anything: alive, and not stopped by a signal."""
        return self.state not in "ZXTt"

    @property
    def arguments(self) -> list[str]:
        """Its command line; empty when it has gone."""
        try:
            return (_PROC / str(self.pid) / "cmdline").read_text(errors="replace").split("\0")[:-1]
        except OSError:
            return []


def process(pid: int) -> Process | None:
    """The process with this id, a zombie too, or ``None``."""
    try:
        stat = (_PROC / str(pid) / "stat").read_text(errors="replace")
    except OSError:
        return None
    # The name in front may hold anything, brackets and blanks included.
    fields = stat.rpartition(")")[2].split()
    return Process(pid, int(fields[1]), int(fields[2]), fields[0], int(fields[19]))


def every() -> Iterator[Process]:
    """All processes that can be seen."""
    with contextlib.suppress(OSError):
        for entry in os.listdir(_PROC):
            if entry.isdigit() and (found := process(int(entry))) is not None:
                yield found


def below(pid: int) -> list[Process]:
    """All descendants of a process, parents first; not itself. O(processes of the machine)."""
    children: dict[int, list[Process]] = {}
    for each in every():
        children.setdefault(each.parent, []).append(each)
    found = list(children.get(pid, ()))
    for each in found:
        found.extend(children.get(each.pid, ()))
    return found


def family(pid: int) -> list[Process]:
    """A process and its descendants, without a look at others; those that begin or end may be missing."""
    found = [each for each in (process(pid),) if each is not None]
    for each in found:
        with contextlib.suppress(OSError):
            for thread in os.listdir(_PROC / str(each.pid) / "task"):
                text = (_PROC / str(each.pid) / "task" / thread / "children").read_text()
                found.extend(filter(None, map(process, map(int, text.split()))))
    return found


def child_above(pid: int, ancestor: int) -> Process | None:
    """The child of ``ancestor`` that ``pid`` descends from, or is; ``None`` when it does not descend."""
    current = process(pid)
    while current is not None and current.parent != ancestor:
        current = process(current.parent) if current.parent > 1 else None
    return current


def in_group(leader: Process) -> list[Process]:
    """Living processes of the group that ``leader`` was first in, wherever in the tree they are now."""
    now = process(leader.pid)
    if now is not None and now.started != leader.started:
        return []  # another process has got the number
    return [each for each in every() if each.group == leader.pid and each.alive]


def memory_bytes(processes: Iterable[Process]) -> int:
    """Memory that they hold together: proportional shares, or private pages where shares are hidden."""
    return sum(_memory(each.pid) for each in processes)


def _memory(pid: int) -> int:
    try:
        rollup = (_PROC / str(pid) / "smaps_rollup").read_text()
        return int(rollup.split("\nPss:")[1].split()[0]) * 1024
    except (OSError, IndexError):
        return private_bytes(pid)  # gone, or in a sandbox whose pages only root may look at


def private_bytes(pid: int) -> int:
    """Memory that is a process's own; 0 when it has gone."""
    try:
        resident, shared = (_PROC / str(pid) / "statm").read_text().split()[1:3]
    except OSError:
        return 0
    return (int(resident) - int(shared)) * _PAGE_BYTES


def threads(pid: int) -> int:
    """How many threads a process has; 0 when it has gone."""
    try:
        return len(os.listdir(_PROC / str(pid) / "task"))
    except OSError:
        return 0


def profiles(processes: Iterable[Process]) -> set[Path]:
    """Profile folders that browsers among them were started with."""
    return {
        Path(argument.removeprefix(_PROFILE))
        for each in processes
        for argument in each.arguments
        if argument.startswith(_PROFILE)
    }


def kill(processes: Iterable[Process]) -> None:
    """End them at once; one that has gone, or whose number is another's now, is left alone."""
    for each in processes:
        now = process(each.pid)
        if now is not None and now.started == each.started:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(each.pid, signal.SIGKILL)


def remove(folders: Iterable[Path]) -> None:
    """Remove profile folders of browsers that have ended."""
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)
