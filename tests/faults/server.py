"""The real service as a process of its own, for tests of how it begins and ends."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2

from extractor.browser import processes
from extractor.browser.processes import Process


@dataclass(slots=True)
class Server:
    """A running service; ``temporary`` is its own folder for temporary files."""

    process: subprocess.Popen[bytes]
    url: str
    temporary: Path
    log: Path

    @property
    def pid(self) -> int:
        return self.process.pid

    def family(self) -> list[Process]:
        """Its processes: drivers, browsers and what belongs to them."""
        return processes.below(self.pid)

    def read(self, url: str, timeout: float = 60, **wanted: Any) -> httpx2.Response:
        body = {"url": url, "format": ["text"], "render": "browser", **wanted}
        return httpx2.post(f"{self.url}/v1/pages", json=body, timeout=timeout, trust_env=False)

    def ready(self) -> int:
        """Status of the readiness probe."""
        return httpx2.get(f"{self.url}/readyz", timeout=30, trust_env=False).status_code

    def end(self, number: int) -> int:
        """Send a signal; its exit code."""
        self.process.send_signal(number)
        return self.process.wait(60)


@contextmanager
def serving(
    folder: Path, *ports: int, before: Sequence[str] = (), **settings: Any
) -> Iterator[Server]:
    """Start it and wait until it answers; ``before`` is a command that runs it (``prlimit`` …)."""
    temporary, log = folder / "tmp", folder / "log"
    temporary.mkdir(exist_ok=True)
    port = _free_port()
    variables = {
        "TMPDIR": str(temporary),
        "PAGEFOLD_PORT": str(port),
        "PAGEFOLD_DATA_DIR": str(folder / "data"),
        "PAGEFOLD_ALLOW_HOSTS": ",".join(f"127.0.0.1:{each}" for each in ports),
        "PAGEFOLD_READY_TTL_S": "0",
        **{f"PAGEFOLD_{name.upper()}": str(value) for name, value in settings.items()},
    }
    command = [
        *before,
        sys.executable,
        "-c",
        "from api.cli import app; app()",
        "serve",
        "--no-demo",
    ]
    with log.open("wb") as out:
        process = subprocess.Popen(
            command, env={**os.environ, **variables}, stdout=out, stderr=subprocess.STDOUT
        )
    server = Server(process, f"http://127.0.0.1:{port}", temporary, log)
    try:
        _await_answer(server)
        yield server
    finally:
        left = server.family()
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        process.wait()
        processes.kill(left)


async def gone(family: Sequence[Process], seconds: float = 10) -> list[str]:
    """What of these processes still lives after so long; zombies of a dead parent are its init's."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        left = [each for each in family if _same(each)]
        if not left:
            return []
        await asyncio.sleep(0.05)
    return [" ".join(each.arguments)[:80] for each in left]


def _same(known: Process) -> bool:
    now = processes.process(known.pid)
    return now is not None and now.started == known.started and now.alive


def _await_answer(server: Server, seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while True:
        try:
            httpx2.get(f"{server.url}/healthz", timeout=5, trust_env=False)
            return
        except httpx2.HTTPError:
            if server.process.poll() is not None or time.monotonic() > end:
                raise AssertionError(server.log.read_text()[-2000:]) from None
            time.sleep(0.05)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
