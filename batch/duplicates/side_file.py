"""Duplicates of a finished run: read from its shards, written beside them."""

from __future__ import annotations

import sqlite3
import threading
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import orjson
import zstandard

from batch.compressed import open_zstd
from batch.duplicates.find import Document, find_duplicates
from batch.errors import OutputDamaged, OutputFull, extra
from batch.outputs.part import TEMPORARY, appearing
from batch.plan import DuplicateRules

#: Name of the file in the folder of a run.
DUPLICATES = "duplicates.jsonl"


def write_duplicates(
    folder: Path,
    shards: Iterable[Path],
    rules: DuplicateRules,
    *,
    leaving: threading.Event | None = None,
) -> Counter[str]:
    """Write ``duplicates.jsonl``, whole or not at all; how many there are of each kind.

    Its first line says by which rules; then comes one line a duplicate, in the order of the input.

    Args:
        folder: of the run.
        shards: files of rows, ``.jsonl.zst`` or ``.parquet``, each row in one of them.
        rules: what counts as a duplicate.
        leaving: once it is set this ends soon, without a file and by ``InterruptedError``.

    Raises:
        MissingExtra: datasketch, or pyarrow for Parquet, is not installed.
        OutputDamaged: a shard cannot be read.
        OutputFull: the disk is full.
    """
    counts: Counter[str] = Counter()
    documents = _until(leaving, (row for shard in shards for row in rows_of(shard, rules.field)))
    # A name that the next run sweeps away if this one is killed.
    working = folder / f".duplicates.sqlite{TEMPORARY}"
    try:
        with appearing(folder / DUPLICATES) as file:
            file.write(orjson.dumps({"rules": asdict(rules)}) + b"\n")
            for duplicate in find_duplicates(documents, rules, working=working):
                counts[duplicate.kind] += 1
                file.write(orjson.dumps(duplicate) + b"\n")
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode == sqlite3.SQLITE_FULL:
            raise OutputFull(f"{folder}: the disk is full; make room and resume") from error
        raise
    return counts


def _until(leaving: threading.Event | None, documents: Iterable[Document]) -> Iterator[Document]:
    for document in documents:
        if leaving is not None and leaving.is_set():
            raise InterruptedError("the run was broken off")
        yield document


def rows_of(shard: Path, field: str) -> Iterator[Document]:
    """The texts of one shard; rows without a page have none and are left out.

    Raises:
        OutputDamaged: it cannot be read.
        MissingExtra: Parquet without pyarrow.
    """
    try:
        rows = _parquet(shard, field) if shard.suffix == ".parquet" else _jsonl(shard)
        for row in rows:
            if row[field]:
                yield Document(row["index"], row["url"], row[field])
    except (OSError, EOFError, ValueError, KeyError, zstandard.ZstdError) as error:
        raise OutputDamaged(f"{shard}: {error!r}") from error


def _jsonl(shard: Path) -> Iterator[dict[str, Any]]:
    with shard.open("rb") as file:
        for line in open_zstd(file):
            yield orjson.loads(line)


def _parquet(shard: Path, field: str) -> Iterator[dict[str, Any]]:
    parquet = extra("pyarrow.parquet")
    with parquet.ParquetFile(shard) as file:
        for batch in file.iter_batches(batch_size=100, columns=["index", "url", field]):
            yield from batch.to_pylist()
