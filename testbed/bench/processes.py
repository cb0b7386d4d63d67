"""Processor time and memory of a process and of all that descend from it (Linux)."""

from __future__ import annotations

import os
from pathlib import Path

_TICK_S = 1 / os.sysconf("SC_CLK_TCK")


def cpu_s(root: int) -> float:
    """Seconds that ``root``, its descendants and those of them that have ended spent on a processor.

    What has ended counts through whoever waited for it; steps of 10 ms.
    """
    total = 0
    for pid in tree(root):
        fields = _stat(pid)
        # utime, stime, and the same of children that were waited for
        total += sum(int(field) for field in fields[11:15]) if fields else 0
    return total * _TICK_S


def pss_mb(root: int) -> float:
    """Proportional memory of ``root`` and its descendants, in MB."""
    total = 0
    for pid in tree(root):
        try:
            rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
            total += int(rollup.split("\nPss:")[1].split()[0])
        except (OSError, IndexError, ValueError):
            continue  # it ended meanwhile
    return total / 1024


def tree(root: int) -> list[int]:
    """``root`` and every process that descends from it."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and (fields := _stat(int(entry.name))):
            children.setdefault(int(fields[1]), []).append(int(entry.name))
    found = [root]
    for pid in found:
        found += children.get(pid, [])
    return found


def _stat(pid: int) -> list[str]:
    """Fields of ``stat`` from the state on; none when the process has ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []
