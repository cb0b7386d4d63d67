"""The record of a run: what went in, how it was read, and what came out."""

from __future__ import annotations

import platform
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import orjson

from batch.contents import filter_used
from batch.inputs import InputReport
from batch.outputs.part import appearing
from batch.plan import Plan
from batch.progress_store import Shard
from batch.rows import SCHEMA_VERSION
from batch.sources import OpenedInput
from extractor.snapshot import SNAPSHOT_VERSION

#: Raised whenever a field of the manifest comes, goes or changes its meaning.
MANIFEST_VERSION = 1
#: Whose versions decide what a page is read as.
_PACKAGES = (
    "pagefold", "datasketch", "fastwarc", "lxml", "playwright", "protego", "pyarrow", "selectolax",
    "warcio", "zstandard",
)  # fmt: skip
#: Settings that name places of this machine, or how fast it goes; they change no row.
_OURS = frozenset({"chromium_path", "data_dir", "concurrency", "queue_size"})


def identity(source: OpenedInput, plan: Plan) -> dict[str, Any]:
    """All that decides the rows of a run: two runs that are alike in it give the same rows."""
    parts = asdict(plan)
    del parts["pace"], parts["duplicates"]
    limits = source.settings.model_dump(mode="json", exclude=set(_OURS))
    given = source.source
    # A file may be moved; what was fetched is known by its address alone.
    address = given.source if source.kind == "listed" else None
    rules = asdict(given.rules)
    del rules["kept_notes"]
    return {
        "schema_version": SCHEMA_VERSION,
        "snapshot_version": SNAPSHOT_VERSION,
        "filter": asdict(filter_used(plan.content.filter)),
        "input": {"source": address, "sha256": source.digest, "rules": rules},
        **parts,
        "extractor": limits,
    }


def write_manifest(
    path: Path,
    run: dict[str, Any],
    shards: Iterable[Shard],
    *,
    complete: bool,
    read: InputReport | None,
    about: dict[str, Any],
) -> Counter[str]:
    """Write the manifest, whole or not at all; rows by outcome.

    Args:
        path: of the file.
        run: what ``identity`` gave when the run began.
        shards: those that are done.
        complete: whether every line of the input has its row.
        read: what came of the entries of the input; ``None`` where it was not read to its end.
        about: what varies from one run to the next alike in all else: times, pace, places.
    """
    outcomes: Counter[str] = Counter()
    files = []
    for shard in shards:
        outcomes.update(shard.outcomes)
        files.append({"shard": shard.number, "files": [asdict(file) for file in shard.files]})
    failures = {code: count for code, count in sorted(outcomes.items()) if code != "ok"}
    made = {
        "manifest_version": MANIFEST_VERSION,
        "complete": complete,
        "counts": {
            "rows": outcomes.total(),
            "ok": outcomes["ok"],
            "failed": sum(failures.values()),
        },
        "failures": failures,
        "entries": read.as_json() if read is not None else None,
        **run,
        "versions": versions(),
        "shards": files,
        "run": about,
    }
    with appearing(path) as file:
        file.write(orjson.dumps(made, option=orjson.OPT_INDENT_2) + b"\n")
    return outcomes


def versions() -> dict[str, str]:
    """Of Python and the packages that read pages, as far as they are installed."""
    found = {"python": platform.python_version()}
    for name in _PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
