"""Cases on disk: a folder of ``fixtures_html`` with a ``meta.json`` is one."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2] / "fixtures_html"
PENDING = Path(__file__).with_name("pending.json")
#: What the loopback site is called in expectations and in the reviewed outputs.
SITE, OTHER = "http://site.test", "http://other.test"
SUFFIXES = {"html": "html", "markdown": "md", "text": "txt"}


@dataclass(frozen=True, slots=True)
class Case:
    """One page and what must come of it.

    ``routes`` maps a path to a file of the folder, or to ``{file, status, headers}``; in files and headers
    ``{{site}}`` and ``{{other}}`` are the addresses of the same server under two names. ``request`` are
    fields of ``PageRequest``; ``options`` those of ``filter_snapshot``.
    """

    name: str
    folder: Path
    group: str
    title: str
    paths: tuple[str, ...]
    start: str
    routes: dict[str, Any]
    request: dict[str, Any]
    options: dict[str, Any]
    expect: dict[str, Any]

    def expected_on(self, path: str) -> dict[str, Any]:
        """The expectations on one path: those for both, with its own added or put in their place."""
        common = {key: value for key, value in self.expect.items() if key not in self.paths}
        return {**common, **self.expect.get(path, {})}


def read_case(folder: Path) -> Case:
    meta = json.loads((folder / "meta.json").read_text("utf-8"))
    return Case(
        name=folder.name,
        folder=folder,
        group=meta["case"],
        title=meta["title"],
        paths=tuple(meta.get("paths", ["browser"])),
        start=meta.get("start", "/"),
        routes={"/": "source.html", **meta.get("routes", {})},
        request=meta.get("request", {}),
        options=meta.get("options", {}),
        expect=meta["expect"],
    )


CASES = {
    path.parent.name: read_case(path.parent)
    for path in sorted(ROOT.glob("*/meta.json"))
    if path.parent.parent == ROOT
}
#: ``case:path`` of what does not pass yet, with the part of the program that owes it and why.
WAITING: dict[str, dict[str, str]] = json.loads(PENDING.read_text("utf-8"))
