"""Whether memory stays flat over a long run: that of all its processes, every so many pages."""

from __future__ import annotations

import os
import statistics
from dataclasses import dataclass
from pathlib import Path

from extractor.browser.processes import family, memory_bytes, threads
from testbed.crawl.course import Course

_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
#: The last quarter may hold so much more than the second; the first one is still filling its caches.
MOST_GROWTH = 1.10


@dataclass(frozen=True, slots=True)
class Standing:
    """What a run holds after so many pages.

    Attributes:
        rows: there so far.
        processes: of the whole tree.
        resident_mb: resident pages of the first process alone.
        proportional_mb: proportional shares of the whole tree.
        threads, files: of the first process.
    """

    rows: int
    processes: int
    resident_mb: float
    proportional_mb: float
    threads: int
    files: int

    @classmethod
    def of(cls, pid: int, rows: int) -> Standing:
        """Now."""
        tree = family(pid)
        resident = int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * _PAGE_BYTES
        return cls(
            rows=rows,
            processes=len(tree),
            resident_mb=round(resident / 1e6, 1),
            proportional_mb=round(memory_bytes(tree) / 1e6, 1),
            threads=threads(pid),
            files=len(os.listdir(f"/proc/{pid}/fd")),
        )

    def line(self) -> str:
        """A row of the table."""
        return (
            f"| {self.rows:,} | {self.processes} | {self.resident_mb} | {self.proportional_mb} "
            f"| {self.threads} | {self.files} |"
        )


HEAD = (
    "| pages | processes | resident MB, main | proportional MB, tree | threads | files |\n"
    "|---|---|---|---|---|---|"
)


def watched(course: Course, every: int) -> list[Standing]:
    """Run it to the end and look at its memory after each ``every`` rows."""
    seen: list[Standing] = []

    def look(pid: int, rows: int) -> None:
        if rows % every == 0:
            seen.append(Standing.of(pid, rows))
            print(seen[-1].line(), flush=True)

    print(HEAD, flush=True)
    course.finish(look)
    return seen


def growth(seen: list[Standing]) -> float:
    """The last quarter's mean over the second's, of the whole tree."""
    quarter = max(1, len(seen) // 4)
    held = [each.proportional_mb for each in seen]
    return statistics.mean(held[-quarter:]) / statistics.mean(held[quarter : 2 * quarter])
