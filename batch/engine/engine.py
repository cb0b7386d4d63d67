"""What an engine is: it turns tasks into rows, and knows nothing of files."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from batch.plan import Plan
from batch.read import Reading
from batch.task import Task


class Sink(Protocol):
    """Where rows go; the same for every engine."""

    async def put(self, reading: Reading) -> None:
        """Keep one row for good. When this returns the row survives the end of the process."""
        ...


class Engine(Protocol):
    """Runs a plan."""

    async def run(self, tasks: Iterator[Task], plan: Plan, sink: Sink) -> None:
        """Read every task and put its row into the sink, in any order, each once.

        ``tasks`` is lazy, and only gives what is still to do; it is taken from no faster than rows are put,
        so that memory stays flat. It may block for a moment: it reads files.

        Raises:
            BatchError: the run cannot go on. What went wrong with one page is in its row instead.
        """
        ...
