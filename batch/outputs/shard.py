"""All files of one shard in one pass over its rows."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Protocol

from batch.errors import extra
from batch.outputs.answers_warc import WarcAnswers
from batch.outputs.part import appearing, sha256_of
from batch.outputs.rows_jsonl import JsonlRows
from batch.outputs.rows_parquet import ParquetRows
from batch.plan import Output, RowFormat
from batch.schema import arrow_schema
from extractor.answers import Answer


@dataclass(frozen=True, slots=True)
class StoredRow:
    """A row on its way into a shard: JSON in one line, and the raw answer where it is to be kept."""

    line: bytes
    key: str
    fetched_at: str
    answer: Answer | None


@dataclass(frozen=True, slots=True)
class ShardFile:
    """A file that is done. ``path`` is relative to the run's folder; ``rows``: its rows, or raw answers."""

    path: str
    sha256: str
    bytes: int
    rows: int


class RowWriter(Protocol):
    """Writes rows to an open file."""

    def add(self, line: bytes) -> None:
        """Take one row as a line of JSON."""
        ...

    def close(self) -> None:
        """Write what is left."""
        ...


_FORMATS: dict[RowFormat, type[JsonlRows | ParquetRows]] = {
    "jsonl": JsonlRows,
    "parquet": ParquetRows,
}


def check_packages(output: Output) -> None:
    """Load what the formats need, so that a run does not find out at its first shard.

    Raises:
        MissingExtra: a package is not installed.
    """
    if "parquet" in output.formats:
        arrow_schema()
        extra("pyarrow.parquet")
    if output.warc:
        extra("warcio.warcwriter")


def write_shard(
    folder: Path, number: int, rows: Iterable[StoredRow], output: Output
) -> list[ShardFile]:
    """Write the files of shard ``number``; each is there whole when this returns. Memory is bounded.

    Raises:
        OutputFull: the disk is full.
        MissingExtra: a format needs a package that is not installed.
    """
    name = f"part-{number:05}"
    paths = {each: folder / "rows" / f"{name}{_FORMATS[each].suffix}" for each in output.formats}
    raw_path = folder / "warc" / f"{name}{WarcAnswers.suffix}"
    count = raw = 0
    with ExitStack() as files:
        opened = {each: files.enter_context(appearing(paths[each])) for each in output.formats}
        writers: list[RowWriter] = [_FORMATS[each](file) for each, file in opened.items()]
        archive = _archive(files, raw_path) if output.warc else None
        for row in rows:
            count += 1
            for writer in writers:
                writer.add(row.line)
            if archive is not None and row.answer is not None:
                raw += 1
                archive.add(row.key, row.fetched_at, row.answer)
        for writer in writers:
            writer.close()
    done = [_file(folder, path, count) for path in paths.values()]
    return [*done, _file(folder, raw_path, raw)] if output.warc else done


def _archive(files: ExitStack, path: Path) -> WarcAnswers:
    file: BinaryIO = files.enter_context(appearing(path))
    return WarcAnswers(file, path.name)


def _file(folder: Path, path: Path, rows: int) -> ShardFile:
    where = path.relative_to(folder).as_posix()
    return ShardFile(where, sha256_of(path), path.stat().st_size, rows)
