"""Extractors that run in a process of their own: one line of JSON a page, there and back."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Literal

from testbed.compare.source import Form, Missing, Source

PACKAGES_ENV = "PAGEFOLD_NODE_PEERS"
#: crawl4ai wants packages, and versions of them, that do not go with ours.
CRAWL4AI_ENV = "PAGEFOLD_CRAWL4AI_PYTHON"
_SCRIPT = Path(__file__).with_name("node_peers.mjs")
#: npm packages of each extractor.
NEEDED = {
    "readability": ("@mozilla/readability", "linkedom"),
    "defuddle": ("defuddle", "linkedom"),
}


class ProcessPeer:
    """A running process; started at the first page, and again when it has died."""

    def __init__(self, peer: str, command: Sequence[str], environment: Mapping[str, str]) -> None:
        self._peer, self._command, self._environment = peer, list(command), dict(environment)
        self._process: subprocess.Popen[str] | None = None
        self.cpu_s = 0.0

    def __call__(self, source: Source, form: Form, budget: int) -> str:
        """The extracted HTML; ``cpu_s`` then holds what its process spent on it.

        Raises:
            RuntimeError: the extractor failed, or the process ended.
        """
        process = self._running()
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps({"html": source.html, "url": source.url}) + "\n")
        process.stdin.flush()
        if not (line := process.stdout.readline()):
            self._process = None
            raise RuntimeError(f"{self._peer}: its process ended with {process.wait()}")
        answer = json.loads(line)
        self.cpu_s = answer["cpu_ms"] / 1000
        if answer["error"]:
            raise RuntimeError(f"{self._peer}: {answer['error']}")
        return str(answer["html"])

    def close(self) -> None:
        """End the process; the next page starts another."""
        if self._process is not None:
            self._process.communicate()
            self._process = None

    def _running(self) -> subprocess.Popen[str]:
        if self._process is None or self._process.poll() is not None:
            self._process = subprocess.Popen(
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                encoding="utf-8",
                env={**os.environ, **self._environment},
            )
        return self._process


def node_peer(peer: Literal["readability", "defuddle"]) -> Callable[[], ProcessPeer]:
    """A loader for one extractor."""

    def load() -> ProcessPeer:
        folder = os.environ.get(PACKAGES_ENV)
        if shutil.which("node") is None:
            raise Missing("not installed: node")
        if folder is None:
            raise Missing(f"{PACKAGES_ENV} names no folder with npm packages")
        for package in NEEDED[peer]:
            if not Path(folder, "node_modules", package).is_dir():
                raise Missing(f"not installed: npm package {package} in {folder}")
        command = ["node", "--max-old-space-size=3000", str(_SCRIPT), peer]
        return ProcessPeer(peer, command, {PACKAGES_ENV: folder})

    return load


def crawl4ai_peer() -> ProcessPeer:
    """The pruning filter of crawl4ai, under the Python that has it.

    Raises:
        Missing: no Python is named.
    """
    python = os.environ.get(CRAWL4AI_ENV)
    if not python or not Path(python).is_file():
        raise Missing(f"{CRAWL4AI_ENV} names no Python that has crawl4ai")
    script = Path(__file__).with_name("crawl4ai_peer.py")
    return ProcessPeer("crawl4ai", [python, str(script)], {"CRAWL4AI_NO_CLOUD_NOTICE": "1"})
