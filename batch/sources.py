"""The input of a run: what it is, and a digest by which it is known again."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from batch.errors import InputError
from batch.task import Task


@dataclass(frozen=True, slots=True)
class Input:
    """Where tasks come from.

    Attributes:
        source: a file.
        kind: of it; ``auto`` goes by its name.
        column: that holds the address, in CSV and JSONL.
    """

    source: str
    kind: str = "auto"
    column: str = "url"

    @property
    def quickly_counted(self) -> bool:
        """Whether reading all tasks costs little beside reading the pages."""
        return self.kind not in ("warc", "wacz")

    def tasks(self) -> Iterator[Task]:
        """Every task from the start.

        Raises:
            InputError: it cannot be read.
        """
        try:
            with Path(self.source).open(encoding="utf-8") as lines:
                for index, line in enumerate(lines):
                    if url := line.strip():
                        yield Task(index, url)
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"{self.source}: {error}") from error

    def digest(self) -> str:
        """SHA-256 of the input's bytes, in hexadecimal.

        Raises:
            InputError: it cannot be read.
        """
        try:
            with Path(self.source).open("rb") as file:
                return hashlib.file_digest(file, "sha256").hexdigest()
        except OSError as error:
            raise InputError(f"{self.source}: {error.strerror}") from error
