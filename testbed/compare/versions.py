"""What a filter's results depend on besides the page: its version, and how outputs are measured."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
from collections.abc import Iterable
from functools import cache
from importlib.metadata import PackageNotFoundError, entry_points, version
from pathlib import Path

import extractor
from extractor.filters import GROUP
from testbed.compare import held_out
from testbed.compare.filters import Filter
from testbed.compare.other_process import CRAWL4AI_ENV, NEEDED, PACKAGES_ENV

_HERE = Path(__file__).parent
_MEASURES = ("metrics", "pages", "prices", "text", "wellformed")

#: Distribution of each Python peer whose name is not the filter's own.
_DISTRIBUTIONS = {"readability": "readability-lxml"}


def version_of(filter: Filter) -> str:
    """Changes whenever the filter's output may: a version, or for our own a digest of its code.

    Filters that are built in depend on every file of the extractor and on those that call it.
    """
    if filter.name == "pagefold-held-out":
        return f"{_ours()} {_digest(Path(os.environ.get(held_out.VARIABLE, '.')).glob('*.json'))}"
    if filter.role in ("ours", "baseline"):
        return _ours()
    if filter.role == "added":
        entries = [entry for entry in entry_points(group=GROUP) if entry.name == filter.name]
        return " ".join(
            f"{entry.value} {entry.dist.version if entry.dist else '?'}" for entry in entries
        )
    if filter.name.removesuffix(".js") in NEEDED and filter.name not in _DISTRIBUTIONS:
        return _node(NEEDED[filter.name.removesuffix(".js")])
    if filter.name == "crawl4ai":
        return other_version(os.environ.get(CRAWL4AI_ENV), "crawl4ai")
    try:
        return version(_DISTRIBUTIONS.get(filter.name, filter.name))
    except PackageNotFoundError:
        return "?"


@cache
def other_version(python: str | None, package: str) -> str:
    """Of a package under another Python; ``?`` where it cannot be told."""
    told = f"import importlib.metadata as m; print(m.version({package!r}))"
    try:
        done = subprocess.run(
            [python or "python", "-c", told], capture_output=True, text=True, timeout=30
        )
    except (OSError, subprocess.TimeoutExpired):
        return "?"
    return done.stdout.strip() or "?"


@cache
def measures() -> str:
    """A digest of the code that turns an output into numbers."""
    return _digest(_HERE / f"{name}.py" for name in _MEASURES)


@cache
def _ours() -> str:
    package = Path(extractor.__file__).parent
    files = [file for file in package.rglob("*") if file.is_file() and file.suffix != ".pyc"]
    return _digest([*files, _HERE / "ours.py"])


def _node(packages: Iterable[str]) -> str:
    folder = Path(os.environ.get(PACKAGES_ENV, "."), "node_modules")
    found = []
    for package in packages:
        file = folder / package / "package.json"
        found.append(
            f"{package} {json.loads(file.read_text('utf-8'))['version']}" if file.is_file() else "?"
        )
    return " ".join(found)


def _digest(files: Iterable[Path]) -> str:
    found = hashlib.sha256()
    for file in sorted(files):
        found.update(file.name.encode() + b"\0" + hashlib.sha256(file.read_bytes()).digest())
    return found.hexdigest()[:16]
