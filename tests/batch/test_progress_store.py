"""What survives the end of a process."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from batch.errors import OutputFull, OutputTaken
from batch.outputs import ShardFile
from batch.progress_store import ProgressStore, Shard
from batch.rows import Row, RowError
from extractor.answers import Answer

GONE = RowError("http_410", "The server answered 410.", "navigate", retryable=False)
FILE = ShardFile("rows/part-00000.jsonl.zst", "0" * 64, 9, 2)


def row(index: int, **values: object) -> Row:
    return Row(index, f"k{index}", f"http://a/{index}", **values)  # type: ignore[arg-type]


def test_rows_come_back_in_the_order_of_the_input_with_their_answers(tmp_path: Path) -> None:
    store = ProgressStore(tmp_path / "run.sqlite")
    answer = Answer("http://a/2", 200, (("A", "1"), ("A", "2")), b"\x00\xff" * 9, text=True)
    assert store.keep(0, row(2, title="Two", fetched_at="2026-01-02T03:04:05Z"), answer)
    assert store.keep(0, row(1), None)
    assert store.keep(1, row(5), Answer("http://a/5", 200, (), b""))
    assert not store.keep(0, row(2, title="Another"), None)
    store.close()
    store = ProgressStore(tmp_path / "run.sqlite")
    assert store.kept() == {0: {1, 2}, 1: {5}}
    first, second = store.rows_of(0)
    assert (first.key, first.answer) == ("k1", None)
    assert (second.answer, second.fetched_at) == (answer, "2026-01-02T03:04:05Z")
    assert json.loads(second.line)["title"] == "Two"
    assert [each.answer and each.answer.body for each in store.rows_of(1)] == [b""]
    store.close()


def test_a_shard_is_noted_and_its_rows_let_go_of_together(tmp_path: Path) -> None:
    store = ProgressStore(tmp_path / "run.sqlite")
    store.keep(0, row(0, fields={"a": "b"}, error=GONE, attempts=1), None)
    store.keep(0, row(1), None)
    store.keep(1, row(2, error=GONE), None)
    assert store.outcomes(0) == {"ok": 1, "http_410": 1}
    store.shut(Shard(0, (FILE,), {"http_410": 1, "ok": 1}))
    with pytest.raises(Exception, match="UNIQUE"):
        store.shut(Shard(0, (FILE,), {}))
    assert store.kept() == {1: {2}}
    [shard] = store.shards()
    assert (shard.files, shard.rows) == ((FILE,), 2)
    [letter] = map(json.loads, store.failures())
    assert letter == {
        "code": "http_410",
        "message": "The server answered 410.",
        "phase": "navigate",
        "retryable": False,
        "index": 0,
        "url": "http://a/0",
        "status": None,
        "attempts": 1,
        "fields": {"a": "b"},
    }
    store.close()


def test_one_process_at_a_time(tmp_path: Path) -> None:
    store = ProgressStore(tmp_path / "run.sqlite")
    with pytest.raises(OutputTaken, match="another process"):
        ProgressStore(tmp_path / "run.sqlite")
    store.close()
    ProgressStore(tmp_path / "run.sqlite").close()


def test_a_full_disk_is_told_and_takes_nothing_away(tmp_path: Path) -> None:
    store = ProgressStore(tmp_path / "run.sqlite")
    store.keep(0, row(0), None)
    [(pages,)] = store._db.execute("pragma page_count").fetchall()
    store._db.execute(f"pragma max_page_count = {pages}")
    noise = Answer("http://a/1", 200, (), random.Random(1).randbytes(99_999))
    with pytest.raises(OutputFull, match="make room"):
        store.keep(0, row(1), noise)
    store._db.execute("pragma max_page_count = 100000")
    assert store.keep(0, row(1), noise)
    assert store.kept() == {0: {0, 1}}
    store.close()
