"""What can be counted in the rows of a run that is over."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import orjson
import zstandard

from batch.duplicates import DUPLICATES
from batch.errors import OutputDamaged, extra

_COLUMNS = ("url", "final_url", "lang", "fetched_at", "sizes", "rights", "error")


@dataclass(slots=True)
class Facts:
    """Counts over all rows; those below ``pages`` are over rows with a page alone.

    Attributes:
        manifest: as it stands beside the rows.
        hosts: pages by the host they came from.
        languages: by what pages say of themselves, without regions; empty where they say nothing.
        text_chars: code points of all texts.
        opt_outs: pages by what their owners do not want: ``noindex``, ``noai``, …
        reserved: pages whose owners reserve text and data mining.
        licences: pages by address of a licence that they link to.
        duplicates: by kind, or ``None`` where nobody looked for them.
    """

    manifest: dict[str, Any]
    pages: int = 0
    hosts: Counter[str] = field(default_factory=Counter)
    languages: Counter[str] = field(default_factory=Counter)
    text_chars: int = 0
    opt_outs: Counter[str] = field(default_factory=Counter)
    reserved: int = 0
    licences: Counter[str] = field(default_factory=Counter)
    duplicates: Counter[str] | None = None
    first: str = ""
    last: str = ""

    def add(self, row: dict[str, Any]) -> None:
        """Count one row."""
        if row["error"] is not None:
            return
        self.pages += 1
        self.hosts[urlsplit(row["final_url"] or row["url"]).hostname or ""] += 1
        self.languages[(row["lang"] or "").partition("-")[0].lower()] += 1
        self.text_chars += row["sizes"]["text_chars"] if row["sizes"] else 0
        if at := row["fetched_at"]:
            self.first, self.last = min(self.first or at, at), max(self.last, at)
        rights = row["rights"] or {}
        self.opt_outs.update(rights.get("opt_outs", ()))
        self.reserved += bool((rights.get("tdm") or {}).get("reserved"))
        self.licences.update({each["url"] for each in rights.get("licences", ())})


def facts_of(folder: Path) -> Facts:
    """Count a run's rows; they are read one after the other.

    Raises:
        OutputDamaged: there is no run in the folder that is over, or a file of it cannot be read.
        MissingExtra: the rows are in Parquet alone, and pyarrow is not installed.
    """
    try:
        manifest = orjson.loads((folder / "manifest.json").read_bytes())
    except (OSError, ValueError) as error:
        raise OutputDamaged(f"{folder}: has no manifest.json of a run that is over") from error
    if not manifest["complete"]:
        raise OutputDamaged(f"{folder}: the run is not over; run the same command again first")
    facts = Facts(manifest)
    try:
        for row in _rows(folder, manifest):
            facts.add(row)
        if (folder / DUPLICATES).exists():
            lines = (folder / DUPLICATES).read_bytes().splitlines()[1:]
            facts.duplicates = Counter(orjson.loads(line)["kind"] for line in lines)
    except (OSError, ValueError, KeyError, zstandard.ZstdError) as error:
        raise OutputDamaged(f"{folder}: {error!r}") from error
    return facts


def _rows(folder: Path, manifest: dict[str, Any]) -> Iterator[dict[str, Any]]:
    paths = [file["path"] for shard in manifest["shards"] for file in shard["files"]]
    lines = [path for path in paths if path.endswith(".jsonl.zst")]
    for path in lines or [path for path in paths if path.endswith(".parquet")]:
        yield from (_json_rows if lines else _parquet_rows)(folder / path)


def _json_rows(path: Path) -> Iterator[dict[str, Any]]:
    with path.open("rb") as file:
        reader = zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True)
        yield from map(orjson.loads, io.BufferedReader(reader))


def _parquet_rows(path: Path) -> Iterator[dict[str, Any]]:
    with extra("pyarrow.parquet").ParquetFile(path) as file:
        for batch in file.iter_batches(batch_size=100, columns=list(_COLUMNS)):
            for row in batch.to_pylist():
                yield row | {"rights": orjson.loads(row["rights"]) if row["rights"] else None}
