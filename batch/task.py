"""One thing to do: an address to read, or an archived answer to read again."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class ArchivedResponse:
    """An answer that lies in an archive.

    Attributes:
        url: what it answered.
        status: its HTTP status.
        headers: as stored, without those that describe the transfer (``Content-Encoding``, …).
        body: decoded.
        fetched_at: when it was archived, ISO 8601 in UTC.
        archive: name of the file it lies in.
        offset: bytes from the start of that file to its record.
        record_id: its ``WARC-Record-ID``.
    """

    url: str
    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes
    fetched_at: str
    archive: str
    offset: int
    record_id: str = ""


@dataclass(frozen=True, slots=True)
class Task:
    """One line, or record, of the input.

    Attributes:
        index: its position in the input, counted from 0; what was left out as unreadable counts too.
        url: the address, as the input has it.
        fields: the other columns of its line.
        response: what to read instead of fetching anything.
    """

    index: int
    url: str
    fields: Mapping[str, str] = field(default_factory=dict)
    response: ArchivedResponse | None = None

    @property
    def key(self) -> str:
        """What names it in every run over the same input: 32 hexadecimal digits."""
        return hashlib.sha256(f"{self.index} {self.url}".encode("utf-8", "replace")).hexdigest()[
            :32
        ]
