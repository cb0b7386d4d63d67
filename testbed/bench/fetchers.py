"""Which fetchers there are, and how each is started."""

from __future__ import annotations

import importlib.util
import os
import socket
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from extractor.browser.discover import find_chromium
from testbed.bench.worker import Worker
from testbed.compare.other_process import CRAWL4AI_ENV

#: A folder with GenericAgent's ``simphtml.py`` (package ``genericagent``, without what it depends on).
GENERICAGENT_ENV = "PAGEFOLD_GENERICAGENT"

_ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class Fetchers:
    """Starts fetchers that may reach the pages at ``hosts`` (host and port) and nothing else."""

    hosts: Sequence[str]
    data: Path

    def ours(self) -> Worker:
        """The library."""
        return self._python("pagefold", "testbed.bench.workers.pagefold")

    def over_http(self) -> Worker:
        """The service."""
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = str(probe.getsockname()[1])
        given = {"PAGEFOLD_PORT": port, "PAGEFOLD_DATA_DIR": str(self.data / "service")}
        return self._python("the service", "testbed.bench.workers.over_http", given)

    def bare(self) -> Worker:
        """``goto`` and ``content()``."""
        return self._python("bare", "testbed.bench.workers.bare")

    def crawl4ai(self) -> Worker | str:
        """crawl4ai, or why it cannot be had."""
        if not (python := os.environ.get(CRAWL4AI_ENV)):
            return f"crawl4ai: {CRAWL4AI_ENV} names no Python that has it"
        given = {"HOME": str(self.data), "CRAWL4AI_NO_CLOUD_NOTICE": "1"}
        return self._python("crawl4ai", "testbed.bench.workers.crawl4ai", given, python=python)

    def genericagent(self) -> Worker | str:
        """GenericAgent's page scan, or why it cannot be had."""
        folder = os.environ.get(GENERICAGENT_ENV, "")
        if not Path(folder, "simphtml.py").is_file():
            return f"GenericAgent: {GENERICAGENT_ENV} names no folder with its simphtml.py"
        if importlib.util.find_spec("bs4") is None:
            return "GenericAgent: not installed: beautifulsoup4"
        given = {"BENCH_GENERICAGENT": folder}
        return self._python("GenericAgent", "testbed.bench.workers.genericagent", given)

    def _python(
        self, name: str, module: str, given: Mapping[str, str] | None = None, *, python: str = ""
    ) -> Worker:
        # Media load and browsers stay: as for those that stand beside it.
        environment = {
            "PYTHONPATH": str(_ROOT),
            "BENCH_CHROMIUM": str(find_chromium(None).path),
            "PAGEFOLD_ALLOW_HOSTS": ",".join(self.hosts),
            "PAGEFOLD_ALLOW_PORTS": "",
            "PAGEFOLD_ALLOW_HIGH_PORTS": "false",
            "PAGEFOLD_BLOCK_MEDIA": "false",
            "PAGEFOLD_DATA_DIR": str(self.data / name.replace(" ", "-")),
            "PAGEFOLD_RECYCLE_PAGES": "100000",
            **(given or {}),
        }
        return Worker(name, [python or sys.executable, "-m", module], environment)
