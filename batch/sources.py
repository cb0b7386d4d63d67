"""The input of a run: opened again by every process that goes on with it, and known by a digest."""

from __future__ import annotations

import hashlib
import io
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import orjson
import zstandard

from batch.errors import InputError
from batch.inputs import InputReport, InputRules, Note, open_tasks
from batch.inputs.detect import detect
from batch.outputs.part import appearing
from batch.task import Task
from extractor.settings import ExtractorSettings

#: The list of what an input that may change, or be gone, held when the run began.
LISTED = "input.jsonl.zst"
_HEAD_BYTES = 262_144
_ARCHIVES = ("warc", "wacz")


@dataclass(frozen=True, slots=True)
class Input:
    """What a run reads: a file, ``-`` for standard input, or an address; and how."""

    source: str
    rules: InputRules = field(default_factory=InputRules)

    def open(self, folder: Path, settings: ExtractorSettings) -> OpenedInput:
        """The input as this run sees it, now and whenever it goes on.

        What is not a file of its own, standard input, anything fetched, and sitemaps, which lead to others,
        is written into the folder once, as a list; from then on the list is the input.

        Raises:
            InputError: it cannot be read.
        """
        listed = folder / LISTED
        if listed.is_file():
            return OpenedInput(self, settings, "listed", _list_digest(listed), listed)
        kind = self._kind()
        if kind is None or kind == "sitemap":
            digest = _write_list(listed, self, settings)
            return OpenedInput(self, settings, "listed", digest, listed)
        return OpenedInput(self, settings, kind, _file_digest(self.source), None)

    def _kind(self) -> str | None:
        """Of a file; ``None`` for what is none."""
        if self.source == "-" or self.source.lower().startswith(("http://", "https://")):
            return None
        try:
            with Path(self.source).open("rb") as file:
                head = file.read(_HEAD_BYTES)
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or error
            raise InputError(f"{self.source}: {why}") from error
        if self.rules.kind != "auto":
            return self.rules.kind
        return detect(self.source, head, self.rules.column)


@dataclass(frozen=True, slots=True)
class OpenedInput:
    """An input that can be read from its start as often as needed, and is the same every time.

    Attributes:
        kind: of it; ``listed`` where a list in the run's folder stands for it.
        digest: SHA-256 of the file, or of the list, in hexadecimal.
    """

    source: Input
    settings: ExtractorSettings
    kind: str
    digest: str
    listed: Path | None

    @property
    def quickly_counted(self) -> bool:
        """Whether reading all tasks costs little beside reading the pages."""
        return self.kind not in _ARCHIVES

    def tasks(self, report: InputReport | None = None) -> Iterator[Task]:
        """Every task from the start.

        Raises:
            InputError: it cannot be read.
        """
        if self.listed is not None:
            return _read_list(self.listed, report or InputReport())
        source, rules = self.source.source, self.source.rules
        return open_tasks(source, rules=rules, report=report, settings=self.settings)


def _write_list(path: Path, source: Input, settings: ExtractorSettings) -> str:
    report, digest = InputReport(source.rules.kept_notes), hashlib.sha256()
    tasks = open_tasks(source.source, rules=source.rules, report=report, settings=settings)
    packing = zstandard.ZstdCompressor()
    with appearing(path) as file, packing.stream_writer(file, closefd=False) as out:
        for task in tasks:
            if task.response is not None:
                raise InputError(
                    f"{source.source}: an archive is read from a file; download it first"
                )
            line = orjson.dumps([task.index, task.url, dict(task.fields)]) + b"\n"
            digest.update(line)
            out.write(line)
        trailer = orjson.dumps(report.as_json()) + b"\n"
        digest.update(trailer)
        out.write(trailer)
    return digest.hexdigest()


def _read_list(path: Path, report: InputReport) -> Iterator[Task]:
    """The tasks of a list; its last line says what came of the entries that it was made from."""
    for line in _lines(path):
        found = orjson.loads(line)
        if isinstance(found, list):
            yield Task(*found)
        else:
            _fill(report, found)


def _fill(report: InputReport, found: dict[str, Any]) -> None:
    report.kind = found["kind"]
    report.entries, report.tasks = found["entries"], found["tasks"]
    report.bad, report.skipped = Counter(found["bad"]), Counter(found["skipped"])
    report.repeated = found["repeated"]
    report.bad_notes = [Note(**note) for note in found["bad_notes"]]
    report.repeat_notes = [Note(**note) for note in found["repeat_notes"]]


def _list_digest(path: Path) -> str:
    digest = hashlib.sha256()
    for line in _lines(path):
        digest.update(line)
    return digest.hexdigest()


def _lines(path: Path) -> Iterator[bytes]:
    with zstandard.open(path, "rb") as plain:
        yield from io.BufferedReader(cast("io.RawIOBase", plain))


def _file_digest(source: str) -> str:
    with Path(source).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
