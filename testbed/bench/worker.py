"""A fetcher in a process of its own: one line of JSON with addresses goes in, one with times comes out."""

from __future__ import annotations

import json
import os
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from testbed.bench import processes

#: Waited after each batch before processor time is read.
_TEARDOWN_S = 0.2


class WorkerFailed(Exception):
    """The process ended, or could not read a page; the message says why."""


@dataclass(frozen=True, slots=True)
class Spent:
    """Seconds of one batch by the clock and on processors (with the browser), and peak memory in MB.

    ``chars`` are the sizes of the answers, ``found`` whether each held what was looked for.
    """

    wall_s: float
    cpu_s: float
    pss_mb: float
    chars: tuple[int, ...]
    found: tuple[bool, ...]


class Worker:
    """A context in which the process runs. ``name`` is for messages.

    The process prints a line when it is ready, then answers each order ``{"urls", "concurrency",
    "needle"}`` with ``{"wall_s", "chars", "found", "errors"}``. It ends when its input does.
    """

    def __init__(self, name: str, command: Sequence[str], environment: Mapping[str, str]) -> None:
        self.name = name
        self._command, self._environment = list(command), dict(environment)
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, **self._environment},
            stderr=None if os.environ.get("PAGEFOLD_BENCH_VERBOSE") else subprocess.DEVNULL,
        )
        try:
            self._line()
        except WorkerFailed:
            self._process.kill()
            self._stop()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stop()

    def _stop(self) -> None:
        """Close its input, which tells it to end, and wait."""
        process = self._process
        assert process is not None
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.close()
        try:
            process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()

    def fetch(
        self,
        urls: Sequence[str],
        *,
        concurrency: int = 1,
        needle: str = "",
        memory: bool = False,
        mode: str = "page",
    ) -> Spent:
        """Fetch all of them, ``concurrency`` at a time; with ``memory``, sample it meanwhile.

        Raises:
            WorkerFailed: the process ended, or a page could not be read.
        """
        process = self._process
        assert process is not None
        assert process.stdin is not None
        order = {"urls": list(urls), "concurrency": concurrency, "needle": needle, "mode": mode}
        with _Peak(process.pid, wanted=memory) as peak:
            before = processes.cpu_s(process.pid)
            process.stdin.write(json.dumps(order) + "\n")
            process.stdin.flush()
            answer = json.loads(self._line())
            # Contexts that were closed end a little later, and count too.
            time.sleep(_TEARDOWN_S)
            spent = processes.cpu_s(process.pid) - before
        if answer["errors"]:
            raise WorkerFailed(f"{self.name}: {answer['errors'][0]}")
        return Spent(
            answer["wall_s"], spent, peak.mb, tuple(answer["chars"]), tuple(answer["found"])
        )

    def _line(self) -> str:
        process = self._process
        assert process is not None
        assert process.stdout is not None
        while line := process.stdout.readline():
            if line.startswith("{"):  # anything else is chatter of a library
                return line
        raise WorkerFailed(f"{self.name} ended with {process.poll()}")


class _Peak:
    """Samples memory of a process tree while a block runs."""

    _PAUSE_S = 0.1

    def __init__(self, pid: int, *, wanted: bool) -> None:
        self.mb = 0.0
        self._pid, self._wanted = pid, wanted
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._sample, daemon=True)

    def __enter__(self) -> Self:
        if self._wanted:
            self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        if self._wanted:
            self._thread.join()

    def _sample(self) -> None:
        while not self._over.is_set():
            self.mb = max(self.mb, processes.pss_mb(self._pid))
            time.sleep(self._PAUSE_S)
