"""Extractors written in JavaScript: one Node process each, one line of JSON a page."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Literal

from testbed.compare.source import Form, Missing, Source

PACKAGES_ENV = "PAGEFOLD_NODE_PEERS"
_SCRIPT = Path(__file__).with_name("node_peers.mjs")
#: npm packages of each extractor.
NEEDED = {
    "readability": ("@mozilla/readability", "linkedom"),
    "defuddle": ("defuddle", "linkedom"),
}


class NodePeer:
    """A running Node process; started at the first page, and again when it has died."""

    def __init__(self, peer: str, packages: Path) -> None:
        self._peer, self._packages = peer, packages
        self._process: subprocess.Popen[str] | None = None
        self.cpu_s = 0.0

    def __call__(self, source: Source, form: Form, budget: int) -> str:
        """The extracted HTML; ``cpu_s`` then holds what Node spent on it.

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
            raise RuntimeError(f"{self._peer}: node ended with {process.wait()}")
        answer = json.loads(line)
        self.cpu_s = answer["cpu_ms"] / 1000
        if answer["error"]:
            raise RuntimeError(f"{self._peer}: {answer['error']}")
        return str(answer["html"])

    def _running(self) -> subprocess.Popen[str]:
        if self._process is None or self._process.poll() is not None:
            self._process = subprocess.Popen(
                ["node", "--max-old-space-size=3000", str(_SCRIPT), self._peer],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                encoding="utf-8",
                env={**os.environ, PACKAGES_ENV: str(self._packages)},
            )
        return self._process


def node_peer(peer: Literal["readability", "defuddle"]) -> Callable[[], NodePeer]:
    """A loader for one extractor."""

    def load() -> NodePeer:
        folder = os.environ.get(PACKAGES_ENV)
        if shutil.which("node") is None:
            raise Missing("not installed: node")
        if folder is None:
            raise Missing(f"{PACKAGES_ENV} names no folder with npm packages")
        for package in NEEDED[peer]:
            if not Path(folder, "node_modules", package).is_dir():
                raise Missing(f"not installed: npm package {package} in {folder}")
        return NodePeer(peer, Path(folder))

    return load
