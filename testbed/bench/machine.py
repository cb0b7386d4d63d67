"""On what a run was made: machine, versions, commit, date."""

from __future__ import annotations

import datetime
import os
import platform
import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from extractor.browser.discover import find_chromium
from extractor.errors import ExtractorError
from testbed.compare.other_process import CRAWL4AI_ENV
from testbed.compare.versions import other_version

_PACKAGES = ("playwright", "selectolax", "trafilatura", "resiliparse")


def described() -> dict[str, str]:
    """What a reader needs to judge the figures, by name."""
    python = os.environ.get(CRAWL4AI_ENV)
    return {
        "date": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "commit": _output(
            "git", "-C", str(Path(__file__).parent), "describe", "--always", "--dirty"
        ),
        "machine": f"{_processor()}, {os.cpu_count()} cores, {_memory_gb()} GB",
        "load": " ".join(f"{load:.1f}" for load in os.getloadavg()),
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "browser": _browser(),
        **{name: _version(name) for name in _PACKAGES},
        "crawl4ai": other_version(python, "crawl4ai") if python else "absent",
    }


def _browser() -> str:
    try:
        return _output(str(find_chromium(None).path), "--version")
    except ExtractorError:
        return "none"


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "absent"


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()


def _memory_gb() -> int:
    return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30)


def _output(*command: str) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=30)
    except (OSError, subprocess.TimeoutExpired):
        return "unknown"
    return done.stdout.strip() or "unknown"
