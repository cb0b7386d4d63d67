"""What a run has done, in a file that survives the end of the process at any moment.

Rows are kept here until their shard is full; then the shard's files are written, and one transaction notes
the shard and lets go of its rows. A process that ends in between writes the same files again.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import orjson
import zstandard

from batch.errors import OutputFull, OutputTaken
from batch.outputs import ShardFile
from batch.outputs.shard import StoredRow
from batch.rows import Row, line_of
from extractor.answers import Answer

_TABLES = """
create table if not exists run (name text primary key, value text not null);
create table if not exists rows (
    shard integer not null, idx integer not null, key text not null, fetched_at text not null,
    outcome text not null, failure blob, line blob not null, answer blob, body blob,
    primary key (shard, idx)) without rowid;
create table if not exists shards (number integer primary key, about text not null);
create table if not exists failures (idx integer primary key, line blob not null);
"""


@dataclass(frozen=True, slots=True)
class Shard:
    """A shard that is done: its files, and how many rows had which outcome (``ok`` or a code)."""

    number: int
    files: tuple[ShardFile, ...]
    outcomes: dict[str, int]

    @property
    def rows(self) -> int:
        """All rows of it."""
        return sum(self.outcomes.values())


class ProgressStore:
    """One SQLite file, held by one process at a time. Not for several threads at once.

    Raises:
        OutputTaken: another process holds it.
        OutputFull: the disk is full; so does everything that writes.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._db = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=0)
        try:
            # Held for as long as the process lives, and let go of by the system however it ends.
            self._db.execute("pragma locking_mode = exclusive")
            self._db.execute("pragma journal_mode = wal")
            # Whatever a power cut takes is the newest, and is done again.
            self._db.execute("pragma synchronous = normal")
            self._db.execute("begin exclusive")
            self._db.execute("commit")
            self._db.executescript(_TABLES)
        except sqlite3.OperationalError as error:
            self._db.close()
            if "locked" not in str(error):
                raise
            raise OutputTaken(f"{path.parent}: another process works in this folder") from error
        self._pack = zstandard.ZstdCompressor(level=1)
        self._unpack = zstandard.ZstdDecompressor()

    def close(self) -> None:
        """Let go of the file."""
        self._db.close()

    def note(self, name: str) -> str | None:
        """A note about the run."""
        found = self._db.execute("select value from run where name = ?", (name,)).fetchone()
        return None if found is None else str(found[0])

    def set_note(self, name: str, value: str) -> None:
        """Write a note about the run."""
        self._db.execute("insert or replace into run values (?, ?)", (name, value))

    def keep(self, shard: int, row: Row, answer: Answer | None) -> bool:
        """Keep a row until its shard is full; whether it was new: of two for one line the first stays."""
        line, about, body = line_of(row), None, None
        if answer is not None:
            head = {"url": answer.url, "status": answer.status, "text": answer.text}
            about = orjson.dumps({**head, "headers": answer.headers})
            body = self._pack.compress(answer.body)
        failure = None if row.error is None else _dead_letter(orjson.loads(line))
        packed = self._pack.compress(line)
        values = (shard, row.index, row.key, row.fetched_at or "", row.outcome, failure, packed)
        with self._roomy():
            done = self._db.execute(
                "insert or ignore into rows values (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (*values, about, body),
            )
        return done.rowcount == 1

    def kept(self) -> dict[int, set[int]]:
        """By open shard the lines of the input whose rows are there."""
        found: dict[int, set[int]] = {}
        for shard, index in self._db.execute("select shard, idx from rows"):
            found.setdefault(shard, set()).add(index)
        return found

    def outcomes(self, shard: int | None = None) -> Counter[str]:
        """How many rows of an open shard, or of all of them, had which outcome."""
        where = "" if shard is None else " where shard = ?"
        rows = self._db.execute(
            f"select outcome, count(*) from rows{where} group by outcome",
            () if shard is None else (shard,),
        )
        return Counter({str(name): int(count) for name, count in rows})

    def rows_of(self, shard: int) -> Iterator[StoredRow]:
        """The rows of an open shard in the order of the input, one at a time."""
        rows = self._db.execute(
            "select line, key, fetched_at, answer, body from rows where shard = ? order by idx",
            (shard,),
        )
        for line, key, fetched_at, about, body in rows:
            answer = None
            if about is not None:
                known = orjson.loads(about)
                headers = tuple((name, value) for name, value in known["headers"])
                content = self._unpack.decompress(body)
                answer = Answer(known["url"], known["status"], headers, content, known["text"])
            yield StoredRow(self._unpack.decompress(line), key, fetched_at, answer)

    def shut(self, shard: Shard) -> None:
        """Note a shard whose files are there, and let go of its rows: both or neither."""
        about = {"files": [asdict(file) for file in shard.files], "outcomes": shard.outcomes}
        number = (shard.number,)
        with self._roomy(), self._together():
            self._db.execute(
                "insert or replace into failures"
                " select idx, failure from rows where shard = ? and failure is not null",
                number,
            )
            self._db.execute("delete from rows where shard = ?", number)
            text = orjson.dumps(about).decode()
            self._db.execute("insert into shards values (?, ?)", (shard.number, text))

    @contextmanager
    def _together(self) -> Iterator[None]:
        self._db.execute("begin immediate")
        try:
            yield
            self._db.execute("commit")
        except BaseException:
            if self._db.in_transaction:
                self._db.execute("rollback")
            raise

    @contextmanager
    def _roomy(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_FULL:
                raise
            raise OutputFull(
                f"{self._path.parent}: the disk is full; make room and resume"
            ) from error

    def shards(self) -> Iterator[Shard]:
        """Every shard that is done, in order."""
        for number, text in self._db.execute("select number, about from shards order by number"):
            about = orjson.loads(text)
            files = tuple(ShardFile(**file) for file in about["files"])
            yield Shard(number, files, about["outcomes"])

    def failures(self) -> Iterator[bytes]:
        """Every row of a shard that is done without a page, as a line of JSON, in the order of the input."""
        for (line,) in self._db.execute("select line from failures order by idx"):
            yield line


def _dead_letter(row: dict[str, Any]) -> bytes:
    """A row without a page as a line that another run takes as input."""
    kept = ("index", "url", "status", "attempts", "fields")
    return orjson.dumps({**row["error"], **{name: row[name] for name in kept}})
