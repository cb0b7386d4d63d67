"""Archives, written by another library, as inputs that need no network."""

from __future__ import annotations

import gzip
import io
import json
import os
import zipfile
from pathlib import Path

import pytest
import zstandard
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from batch.errors import InputError
from batch.inputs import InputReport, InputRules, open_tasks
from batch.task import Task

HTML = "<!doctype html><title>größe</title><p>text".encode()
SHARED = Path(os.environ.get("PAGEFOLD_SHARED", "../shared")) / "data" / "warc"


class Archive:
    """A WARC file that is written record by record."""

    def __init__(self, *, compressed: bool) -> None:
        self._file = io.BytesIO()
        self._writer = WARCWriter(self._file, gzip=compressed)

    def response(
        self, url: str, body: bytes = HTML, *, status: str = "200 OK", **headers: str
    ) -> None:
        given = {"Content_Type": "text/html", **headers}
        named = [(key.replace("_", "-"), value) for key, value in given.items()]
        head = StatusAndHeaders(status, named, protocol="HTTP/1.1")
        self._write("response", url, body, head)

    def _write(self, kind: str, url: str, body: bytes, head: StatusAndHeaders | None) -> None:
        record = self._writer.create_warc_record(
            url,
            kind,
            payload=io.BytesIO(body),
            length=len(body),
            http_headers=head,
            warc_headers_dict={"WARC-Date": "2020-02-03T04:05:06Z"},
            warc_content_type="" if head else "text/html",
        )
        self._writer.write_record(record)

    def other(self, kind: str, url: str, body: bytes = HTML) -> None:
        head = None
        if kind in ("request", "revisit"):
            line = "GET / HTTP/1.1" if kind == "request" else "200 OK"
            head = StatusAndHeaders(
                line, [], is_http_request=kind == "request", protocol="HTTP/1.1"
            )
        self._write(kind, url, b"" if head else body, head)

    @property
    def content(self) -> bytes:
        return self._file.getvalue()


def mixed(*, compressed: bool) -> bytes:
    archive = Archive(compressed=compressed)
    archive.other("warcinfo", "")
    archive.response("http://a.example/")
    archive.other("request", "http://a.example/")
    archive.response("http://a.example/moved", b"<p>", status="301 Moved", Location="/")
    archive.response("http://a.example/style", b"p{}", Content_Type="text/css")
    archive.response("http://a.example/zip", gzip.compress(HTML), Content_Encoding="gzip", X_A="ä")
    archive.response("http://a.example/gone", b"<p>gone", status="404 Not Found")
    archive.other("revisit", "http://a.example/")
    archive.other("resource", "http://a.example/saved")
    archive.other("resource", "urn:text:http://a.example/")
    archive.response("http://a.example/")
    return archive.content


def read(path: Path, **rules: object) -> tuple[list[Task], InputReport]:
    report = InputReport()
    tasks = list(open_tasks(str(path), rules=InputRules(**rules), report=report))  # type: ignore[arg-type]
    counted = sum(report.bad.values()) + sum(report.skipped.values()) + report.repeated
    assert report.entries == report.tasks + counted
    return tasks, report


def paths(tasks: list[Task]) -> list[str]:
    return [task.url.removeprefix("http://a.example") for task in tasks]


@pytest.mark.parametrize("form", ["plain", "gzip", "one gzip", "zstd"])
def test_pages_come_out_of_every_form(tmp_path: Path, form: str) -> None:
    plain = mixed(compressed=False)
    content = {
        "plain": plain,
        "gzip": mixed(compressed=True),
        "one gzip": gzip.compress(plain),
        "zstd": zstandard.compress(plain),
    }[form]
    path = tmp_path / "crawl.bin"
    path.write_bytes(content)
    tasks, report = read(path)
    assert report.kind == "warc"
    assert paths(tasks) == ["/", "/zip", "/gone", "/saved", "/"]
    assert report.skipped == {"redirect": 1, "not_html": 1, "revisit": 1, "not_http": 1}
    assert [task.index for task in tasks] == [0, 3, 4, 6, 8]
    assert len({task.key for task in tasks}) == 5
    zipped = tasks[1].response
    assert zipped is not None
    assert (zipped.status, zipped.body, zipped.fetched_at) == (
        200,
        HTML,
        "2020-02-03T04:05:06+00:00",
    )
    assert ("Content-Type", "text/html") in zipped.headers
    assert "content-encoding" not in {name.lower() for name, _ in zipped.headers}
    assert zipped.archive == "crawl.bin"
    assert zipped.record_id.startswith("urn:uuid:")
    if form == "plain":
        assert content[zipped.offset :].startswith(b"WARC/1.")
        assert zipped.record_id.encode() in content[zipped.offset : zipped.offset + 500]


def test_all_answers_or_each_address_once(tmp_path: Path) -> None:
    path = tmp_path / "a.warc.gz"
    path.write_bytes(mixed(compressed=True))
    everything, report = read(path, records="all")
    assert paths(everything) == ["/", "/moved", "/style", "/zip", "/gone", "/saved", "/"]
    assert everything[1].response is not None
    assert everything[1].response.status == 301
    once, report = read(path, repeats="skip")
    assert paths(once) == ["/", "/zip", "/gone", "/saved"]
    assert (report.repeated, report.repeat_notes[0].detail) == (1, "index 0")


def test_what_is_too_large_or_cut_off_is_told(tmp_path: Path) -> None:
    archive = Archive(compressed=False)
    archive.response("http://a.example/1")
    archive.response("http://a.example/2", b"<p>" + b"x" * 5_000)
    archive.response(
        "http://a.example/3", gzip.compress(b"<p>" + b"x" * 5_000), Content_Encoding="gzip"
    )
    archive.response("http://a.example/4")
    path = tmp_path / "a.warc"
    path.write_bytes(archive.content[:-20])
    tasks, report = read(path, max_record_bytes=2_000)
    assert paths(tasks) == ["/1"]
    assert report.bad == {"too_large": 2, "truncated": 1}
    assert "record at" in report.bad_notes[0].place


def test_damage_in_the_middle_is_told_and_what_came_before_is_read(tmp_path: Path) -> None:
    whole = Archive(compressed=True)
    whole.response("http://a.example/1")
    path = tmp_path / "a.warc.gz"
    path.write_bytes(whole.content + b"\x1f\x8b\x08damaged" * 30)
    tasks, report = read(path)
    assert paths(tasks) == ["/1"]
    assert report.bad == {"damaged": 1}


def wacz(path: Path, *, pages: bool = True, method: int = zipfile.ZIP_STORED) -> Path:
    second = Archive(compressed=True)
    second.response("http://a.example/second")
    with zipfile.ZipFile(path, "w", method) as package:
        package.writestr("datapackage.json", "{}")
        package.writestr("archive/b.warc.gz", second.content)
        package.writestr("archive/a.warc.gz", mixed(compressed=True))
        package.writestr("indexes/index.cdx.gz", gzip.compress(b""))
        if pages:
            lines = [{"format": "json-pages-1.0"}, {"url": "http://a.example/zip"}, {"url": "x"}]
            package.writestr("pages/pages.jsonl", "\n".join(map(json.dumps, lines)))
    return path


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_a_wacz_is_its_archives_in_order(tmp_path: Path, method: int) -> None:
    path = wacz(tmp_path / "a.wacz", method=method)
    tasks, report = read(path)
    assert report.kind == "wacz"
    assert paths(tasks) == ["/", "/zip", "/gone", "/saved", "/", "/second"]
    assert [task.index for task in tasks] == [0, 3, 4, 6, 8, 9]
    assert tasks[-1].response is not None
    assert tasks[-1].response.archive == "a.wacz/archive/b.warc.gz"
    listed, report = read(path, records="listed")
    assert paths(listed) == ["/zip"]
    assert report.skipped["not_listed"] == 5


def test_a_package_damaged_in_a_member_is_refused_told_or_read_whole(tmp_path: Path) -> None:
    whole = wacz(tmp_path / "a.wacz", method=zipfile.ZIP_DEFLATED)
    expected = paths(read(whole)[0])
    data = whole.read_bytes()
    refused = 0
    for at in range(0, data.index(b"PK\x01\x02"), 7):
        damaged = bytearray(data)
        damaged[at] ^= 0xFF
        (tmp_path / "b.wacz").write_bytes(damaged)
        try:
            tasks, report = read(tmp_path / "b.wacz")
        except InputError:
            refused += 1
        else:
            assert report.bad or paths(tasks) == expected, at
    assert refused


def test_a_package_under_a_password_is_refused(tmp_path: Path) -> None:
    data = bytearray(wacz(tmp_path / "a.wacz").read_bytes())
    at = 0
    # The lowest bit of the flags in the central directory says that a member is encrypted.
    while (at := data.find(b"PK\x01\x02", at)) >= 0:
        data[at + 8] |= 1
        at += 4
    (tmp_path / "b.wacz").write_bytes(data)
    with pytest.raises(InputError, match=r"archive/a\.warc\.gz.*encrypted"):
        read(tmp_path / "b.wacz")


def test_a_package_without_what_is_asked_for_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="lists no page"):
        read(wacz(tmp_path / "a.wacz", pages=False), records="listed")
    with zipfile.ZipFile(tmp_path / "b.wacz", "w") as package:
        package.writestr("x.txt", "x")
    with pytest.raises(InputError, match="no WARC file"):
        read(tmp_path / "b.wacz")


@pytest.mark.skipif(
    not SHARED.is_dir(),
    reason=f"needs recorded sites in {SHARED}; PAGEFOLD_SHARED names the folder",
)
def test_recorded_sites_give_their_front_pages() -> None:
    fronts = {
        "wikipedia": "https://www.wikipedia.org/",
        "vk": "https://vk.com/",
        "youtube": "https://www.youtube.com/",
    }
    for name, front in fronts.items():
        tasks, report = read(SHARED / f"{name}.warc.gz")
        assert not report.bad
        assert front in {task.url for task in tasks}
        assert all(task.response and task.response.body for task in tasks if task.url == front)
        assert report.skipped["not_html"] > 3
