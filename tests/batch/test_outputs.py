"""Rows as files."""

from __future__ import annotations

import hashlib
import io
import json
from dataclasses import replace
from pathlib import Path

import duckdb
import pyarrow.parquet
import pytest
import zstandard
from fastwarc import ArchiveIterator as FastIterator
from hypothesis import given, settings
from hypothesis import strategies as st
from warcio.archiveiterator import ArchiveIterator

from batch.outputs import write_shard
from batch.outputs.part import appearing, sweep
from batch.outputs.shard import StoredRow
from batch.plan import Output
from batch.rows import Json, Row, line_of
from batch.schema import arrow_schema, json_columns
from extractor.answers import Answer
from tests.batch.rows import ROWS

BOTH = Output(formats=("jsonl", "parquet"), warc=True)


def stored(row: Row, answer: Answer | None = None) -> StoredRow:
    return StoredRow(line_of(row), row.key, row.fetched_at or "", answer)


def lines_of(path: Path) -> list[dict[str, object]]:
    with zstandard.open(path, "rt", encoding="utf-8", newline="\n") as lines:
        return [json.loads(line) for line in lines]


def as_jsonl(record: dict[str, object]) -> dict[str, object]:
    """A row of a Parquet file as JSONL has it."""
    made = dict(record)
    for name in json_columns():
        made[name] = None if made[name] is None else json.loads(str(made[name]))
    made["fields"] = dict(made["fields"])  # type: ignore[call-overload]
    return made


@settings(max_examples=15, deadline=None)
@given(st.lists(ROWS, max_size=4))
def test_both_formats_hold_the_same_rows(
    tmp_path_factory: pytest.TempPathFactory, rows: list[Row]
) -> None:
    folder = tmp_path_factory.mktemp("rows")
    files = write_shard(folder, 3, map(stored, rows), BOTH)
    jsonl, parquet, _ = files
    assert [file.path for file in files] == [
        "rows/part-00003.jsonl.zst",
        "rows/part-00003.parquet",
        "warc/part-00003.warc.gz",
    ]
    assert [file.rows for file in files] == [len(rows), len(rows), 0]
    table = pyarrow.parquet.read_table(folder / parquet.path)
    assert table.schema.equals(arrow_schema(), check_metadata=False)
    assert list(map(as_jsonl, table.to_pylist())) == lines_of(folder / jsonl.path)
    for file in files:
        data = (folder / file.path).read_bytes()
        assert (file.sha256, file.bytes) == (hashlib.sha256(data).hexdigest(), len(data))


def test_other_programs_read_them(tmp_path: Path) -> None:
    rows = [
        Row(n, f"k{n}", f"http://a/{n}", title=f"T{n}", metadata=Json({"n": n})) for n in range(5)
    ]
    write_shard(tmp_path, 0, map(stored, rows), Output(formats=("jsonl", "parquet")))
    query = "select index, title from {} order by index"
    expected = [(n, f"T{n}") for n in range(5)]
    assert duckdb.sql(query.format(f"'{tmp_path}/rows/*.parquet'")).fetchall() == expected
    assert (
        duckdb.sql(query.format(f"read_json_auto('{tmp_path}/rows/*.jsonl.zst')")).fetchall()
        == expected
    )
    metadata = duckdb.sql(
        f"select (metadata->>'n')::int from '{tmp_path}/rows/*.parquet' order by 1"
    ).fetchall()
    assert metadata == [(n,) for n in range(5)]
    assert not (tmp_path / "warc").exists()


def test_raw_answers_are_records_that_other_programs_check(tmp_path: Path) -> None:
    row = Row(0, "abc", "http://a.example/", fetched_at="2026-01-02T03:04:05Z")
    sent = (
        ("Content-Type", "text/html; charset=windows-1252"),
        ("Content-Encoding", "gzip"),
        ("Set-Cookie", "a=1"),
        ("Set-Cookie", "b=2"),
    )
    plain = Answer("http://a.example/", 200, sent, b"caf\xe9")
    shown = replace(plain, body="café".encode(), text=True)
    rows = [stored(row, plain), stored(replace(row, key="def"), shown), stored(row)]
    *_, file = write_shard(tmp_path, 0, rows, BOTH)
    assert file.rows == 2
    data = (tmp_path / file.path).read_bytes()
    found = []
    for record in ArchiveIterator(io.BytesIO(data), check_digests="raise"):
        if record.rec_type == "response":
            found.append((record.rec_headers, record.http_headers, record.content_stream().read()))
    (head, http, body), (_, http2, body2) = found
    assert (head.protocol, head.get_header("WARC-Date")) == ("WARC/1.1", "2026-01-02T03:04:05Z")
    assert head.get_header("WARC-Target-URI") == "http://a.example/"
    assert body == b"caf\xe9"
    assert http.get_header("Content-Encoding") is None
    assert http.get_header("X-Orig-Content-Encoding") == "gzip"
    assert http.get_header("Content-Type") == "text/html; charset=windows-1252"
    assert [value for name, value in http.headers if name == "Set-Cookie"] == ["a=1", "b=2"]
    assert body2.decode() == "café"
    assert http2.get_header("Content-Type") == "text/html; charset=utf-8"
    read = FastIterator(io.BytesIO(data), verify_digests=True)
    targets = [record.headers.get("WARC-Target-URI") for record in read]
    assert targets == [None, "http://a.example/", "http://a.example/"]
    again = tmp_path / "again"
    assert write_shard(again, 0, rows, BOTH)[2].sha256 == file.sha256


def test_a_file_appears_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "rows" / "a"

    def fail() -> None:
        with appearing(path) as file:
            file.write(b"half")
            assert not path.exists()
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert list(path.parent.iterdir()) == []
    with appearing(path) as file:
        file.write(b"whole")
    assert path.read_bytes() == b"whole"


def test_what_a_killed_process_was_writing_is_removed(tmp_path: Path) -> None:
    (tmp_path / "rows").mkdir()
    for name in (".part-00000.parquet.tmp", "part-00000.parquet"):
        (tmp_path / "rows" / name).write_bytes(b"x")
    sweep(tmp_path)
    assert [path.name for path in (tmp_path / "rows").iterdir()] == ["part-00000.parquet"]


def test_what_readers_of_json_do_not_agree_on_is_written_as_what_they_do() -> None:
    odd = Json({"big": 2**80, "none": float("nan"), "half": "a\ud800b", "deep": [[2**70]]})
    made = json.loads(line_of(Row(0, "k", "http://a/\udfff", metadata=odd)))
    assert made["url"] == "http://a/\N{REPLACEMENT CHARACTER}"
    assert made["metadata"] == {
        "big": str(2**80),
        "none": None,
        "half": "a\N{REPLACEMENT CHARACTER}b",
        "deep": [[str(2**70)]],
    }
