"""Lists of addresses in every form: each entry becomes a task, or is counted and named."""

from __future__ import annotations

import gzip
import io
import json
import sys
from pathlib import Path
from tempfile import NamedTemporaryFile

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from batch.errors import InputError
from batch.inputs import KINDS, InputReport, InputRules, open_tasks
from batch.task import Task

A, B, C = "http://a.example/", "https://b.example/x?y=1", "http://c.example/ü"


def read(path: Path | str, **rules: object) -> tuple[list[Task], InputReport]:
    report = InputReport()
    tasks = list(open_tasks(str(path), rules=InputRules(**rules), report=report))  # type: ignore[arg-type]
    counted = sum(report.bad.values()) + sum(report.skipped.values()) + report.repeated
    assert report.entries == report.tasks + counted
    assert json.loads(json.dumps(report.as_json())) == report.as_json()
    return tasks, report


def written(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def urls(tasks: list[Task]) -> list[str]:
    return [task.url for task in tasks]


TEXT = f"# seeds\n{A}\n\n  {B}  \r\n{C}"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("seeds.txt", TEXT.encode()),
        ("seeds", b"\xef\xbb\xbf" + TEXT.encode()),
        ("seeds.txt", TEXT.encode("utf-16")),
        ("seeds.txt.gz", gzip.compress(TEXT.encode(), mtime=0)),
        ("seeds.zst", zstandard.compress(TEXT.encode()) + zstandard.compress(b"")),
        ("urls.csv", f"url\n{A}\n{B}\n{C}\n".encode()),
        ("urls.csv", f'"url"\r\n"{A}"\r\n"{B}"\r\n"{C}"'.encode()),
        ("noname", f"n;url\n1;{A}\n2;{B}\n3;{C}\n".encode()),
        ("u.tsv", f"url\tn\n{A}\t1\n{B}\t2\n{C}\t3\n".encode()),
        ("u.jsonl", "".join(json.dumps({"url": url}) + "\n" for url in (A, B, C)).encode()),
        (
            "u.ndjson.gz",
            gzip.compress("".join(f'"{url}"\n' for url in (A, B, C)).encode(), mtime=0),
        ),
    ],
)
def test_the_same_addresses_come_out_of_every_form(
    tmp_path: Path, name: str, content: bytes
) -> None:
    tasks, report = read(written(tmp_path, name, content))
    assert urls(tasks) == [A, B, C]
    assert [task.index for task in tasks] == [0, 1, 2]
    assert not report.bad


def test_standard_input_is_read_as_any_file(monkeypatch: pytest.MonkeyPatch) -> None:
    for content in (TEXT.encode(), gzip.compress(TEXT.encode(), mtime=0)):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
        assert urls(read("-")[0]) == [A, B, C]


def test_bad_lines_are_named_and_keep_their_place(tmp_path: Path) -> None:
    lines = [
        A.encode(),
        b"no address",
        b"\xff\xfe\xfd",
        b"x" * 300,
        b"ftp://a.example/",
        B.encode(),
    ]
    tasks, report = read(written(tmp_path, "a.txt", b"\n".join(lines)), max_line_chars=200)
    assert [(task.index, task.url) for task in tasks] == [(0, A), (5, B)]
    assert report.bad == {"invalid_url": 2, "line": 2}
    assert [(note.place, note.reason) for note in report.bad_notes] == [
        ("line 2", "invalid_url"),
        ("line 3", "line"),
        ("line 4", "line"),
        ("line 5", "invalid_url"),
    ]
    assert "longer than 200" in report.bad_notes[2].detail


def test_only_the_first_notes_are_kept_and_all_are_counted(tmp_path: Path) -> None:
    report = InputReport(kept_notes=2)
    path = written(tmp_path, "a.txt", f"{A}\n" + "bad\n" * 5)
    assert len(list(open_tasks(str(path), report=report))) == 1
    assert (report.bad["invalid_url"], len(report.bad_notes)) == (5, 2)


def test_an_address_that_came_before_is_left_out_and_told(tmp_path: Path) -> None:
    path = written(tmp_path, "a.txt", f"{A}\n{B}\nHTTP://A.example#part\n{A}\n{C}\n")
    tasks, report = read(path)
    assert [task.index for task in tasks] == [0, 1, 4]
    assert report.repeated == 2
    assert [(note.place, note.detail) for note in report.repeat_notes] == [
        ("line 3", "index 0"),
        ("line 4", "index 0"),
    ]
    kept, report = read(path, repeats="keep")
    assert [task.index for task in kept] == [0, 1, 2, 3, 4]
    assert len({task.key for task in kept}) == 5
    assert report.repeated == 0


def test_addresses_that_a_run_may_not_open_are_its_to_refuse(tmp_path: Path) -> None:
    tasks, _ = read(written(tmp_path, "a.txt", "http://127.0.0.1:8000/\nhttp://localhost/\n"))
    assert len(tasks) == 2


def test_the_column_is_chosen_and_the_others_come_along(tmp_path: Path) -> None:
    path = written(
        tmp_path, "a.csv", f'id,link,note\n1,{A},"two\nlines, one cell"\n2,{B},\n\n3,{C},x\n'
    )
    tasks, _ = read(path, column="link")
    assert urls(tasks) == [A, B, C]
    assert tasks[0].fields == {"id": "1", "note": "two\nlines, one cell"}
    with pytest.raises(InputError, match="line 1: no column 'url'; there are 'id', 'link', 'note'"):
        read(path)


def test_columns_without_a_header_go_by_number(tmp_path: Path) -> None:
    tasks, _ = read(written(tmp_path, "a.csv", f"x,{A}\ny,{B}\n"), column="#2")
    assert urls(tasks) == [A, B]
    assert tasks[1].fields == {"#1": "y"}
    named, _ = read(written(tmp_path, "b.csv", f"url,,n,n\n{A},1,2,3\n"))
    assert named[0].fields == {"#2": "1", "n": "2", "#4": "3"}


def test_malformed_rows_are_named_by_the_line_they_begin_on(tmp_path: Path) -> None:
    rows = [
        "url,n",
        f'{A},"a\nb"',
        f"{B},1,2",
        f'"{B}"x,1',
        B,
        f"{C},1",
    ]
    tasks, report = read(written(tmp_path, "a.csv", "\n".join(rows)))
    assert urls(tasks) == [A, C]
    assert [note.place for note in report.bad_notes] == ["line 4", "line 5", "line 6"]
    assert report.bad == {"csv": 3}


def test_a_quote_that_never_ends_costs_a_bounded_part_and_is_told(tmp_path: Path) -> None:
    content = f'url\n{A}\n"{B}\n' + "".join(f"http://x.example/{n}\n" for n in range(8_000))
    tasks, report = read(written(tmp_path, "a.csv", content))
    assert tasks[0].url == A
    assert report.bad["csv"] >= 1
    assert report.bad_notes[0].place == "line 3"


def test_json_lines_that_are_no_entries_are_named(tmp_path: Path) -> None:
    lines = [
        json.dumps({"link": A, "n": 1, "tags": ["a"], "t": "x", "none": None}),
        "{",
        json.dumps({"url": B}),
        json.dumps({"link": 5}),
        "[1]",
        "",
        json.dumps(B),
    ]
    tasks, report = read(written(tmp_path, "a.jsonl", "\n".join(lines)), column="link")
    assert urls(tasks) == [A, B]
    assert tasks[0].fields == {"n": "1", "tags": '["a"]', "t": "x", "none": "null"}
    assert [(note.place, note.reason) for note in report.bad_notes] == [
        ("line 2", "json"),
        ("line 3", "no_address"),
        ("line 4", "no_address"),
        ("line 5", "no_address"),
    ]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.txt", b"", "no usable entry"),
        ("a.txt", b"# only a remark\n", "it is empty"),
        ("a.txt", b"one\ntwo\n", "line 1: invalid_url: one"),
        ("a.csv", b"", "no usable entry"),
        ("a.csv", b'"url\nhttp://a.example/\n', "line 1: csv: the header: unexpected end of data"),
        ("a.csv", b'"url"x\nhttp://a.example/\n', "line 1: csv: the header"),
        ("a.bin", b"\x00\x01\x02", "neither text nor an archive"),
        ("a.html", b"<!doctype html><p>", "no sitemap"),
        (
            "a.txt.gz",
            gzip.compress(b"http://a.example/\n" * 9, mtime=0)[:-9],
            "unreadable after line",
        ),
        ("a.txt.zst", zstandard.compress(b"http://a.example/\n" * 99)[:-2], "cut off"),
        ("a.txt.zst", zstandard.compress(b"x" * 99) + b"more", "unreadable after line"),
        ("a.wacz", b"PK\x03\x04nothing", "no readable WACZ"),
        ("a.warc.gz", gzip.compress(b"no archive", mtime=0), "no WARC record"),
        ("a.warc", b"WARC/1.0\r\nbroken", "no usable entry"),
        ("a.warc", b"WARC/1.0 and no more", "no WARC record|no usable entry"),
        ("a.wacz", b"", "no readable WACZ"),
    ],
)
def test_what_cannot_be_read_says_why(
    tmp_path: Path, name: str, content: bytes, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        read(written(tmp_path, name, content))


def test_a_missing_file_is_an_error_of_the_input(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No such file"):
        read(tmp_path / "none.txt")
    with pytest.raises(InputError, match="directory"):
        read(tmp_path)


def test_a_kind_that_is_named_is_not_guessed(tmp_path: Path) -> None:
    path = written(tmp_path, "a.jsonl", f"{A}\n")
    assert urls(read(path, kind="text")[0]) == [A]


PIECES = st.sampled_from(
    [b"http://a.example/", b"url", b"\n", b"\r", b",", b'"', b"{", b"}", b'{"url": "http://b.example"}', b"#",
     b"\x00", b"\xff", b"\xef\xbb\xbf", b"<urlset>", b"<url><loc>", b"</loc></url>", b"</urlset>", b"&x;", b"\x1f\x8b",
     b"\x28\xb5\x2f\xfd", b"PK\x03\x04", b"WARC/1.0\r\n", b" "]
)  # fmt: skip


@settings(max_examples=120, deadline=None)
@given(
    st.lists(PIECES, max_size=12).map(b"".join),
    st.sampled_from(["auto", *KINDS]),
    st.sampled_from(["url", "#1"]),
)
def test_whatever_comes_is_a_task_or_told(content: bytes, kind: str, column: str) -> None:
    with NamedTemporaryFile() as file:
        file.write(content)
        file.flush()
        try:
            tasks, report = read(file.name, kind=kind, column=column)
        except InputError:
            return
        assert report.tasks == len(tasks)
        indexes = [task.index for task in tasks]
        assert indexes == sorted(set(indexes))
