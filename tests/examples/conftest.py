"""A real ``pagefold serve`` on free loopback ports, with its demo pages."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx2
import pytest

ROOT = Path(__file__).parents[2]
START_S = 150


@dataclass(frozen=True, slots=True)
class Served:
    """Where the service and its demo site answer."""

    url: str
    demo: str

    def environment(self) -> dict[str, str]:
        """What the examples read."""
        return {
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "PAGEFOLD_URL": self.url,
            "PAGEFOLD_DEMO_URL": self.demo,
        }


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("served")
    port, demo_port = _free_ports()
    environment = {
        **os.environ,
        "PAGEFOLD_PORT": str(port),
        "PAGEFOLD_DEMO_PORT": str(demo_port),
        "PAGEFOLD_DATA_DIR": str(folder / "data"),
    }
    start = [sys.executable, "-c", "from api.cli import app; app()", "serve"]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(start, cwd=ROOT, env=environment, stdout=log, stderr=log)
        try:
            where = Served(f"http://127.0.0.1:{port}", f"http://127.0.0.1:{demo_port}")
            _wait(process, where.url, folder / "log")
            yield where
        finally:
            process.terminate()
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _free_ports() -> tuple[int, int]:
    # Both at once, so that they differ.
    with socket.socket() as one, socket.socket() as two:
        one.bind(("127.0.0.1", 0))
        two.bind(("127.0.0.1", 0))
        return one.getsockname()[1], two.getsockname()[1]


def _wait(process: subprocess.Popen[bytes], url: str, log: Path) -> None:
    until = time.monotonic() + START_S
    while time.monotonic() < until and process.poll() is None:
        try:
            if httpx2.get(f"{url}/healthz").status_code == 200:
                return
        except httpx2.TransportError:
            time.sleep(0.2)
    pytest.fail(f"the service did not start:\n{log.read_text('utf-8')[-2_000:]}")
