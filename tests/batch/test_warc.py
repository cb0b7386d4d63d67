"""Archives as a source of answers, also when their headers and bodies disagree."""

from __future__ import annotations

import gzip
from pathlib import Path

import brotli
import pytest

from batch.warc import WarcResponses

TEXT = "<p>größe</p>".encode()
CHUNKED = b"5;x=1\r\n<p>gr\r\n%x\r\n%b\r\n0\r\n\r\n" % (len(TEXT) - 5, TEXT[5:])

Stored = tuple[str, str, list[tuple[str, str]], bytes]


def archive(path: Path, *answers: Stored) -> Path:
    records = []
    for index, (url, status, headers, body) in enumerate(answers):
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers)
        http = f"HTTP/1.1 {status}\r\n{lines}\r\n".encode() + body
        head = (
            f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\n"
            f"WARC-Record-ID: <urn:uuid:00000000-0000-0000-0000-{index:012}>\r\n"
            "WARC-Date: 2020-01-01T00:00:00Z\r\n"
            "Content-Type: application/http; msgtype=response\r\n"
            f"Content-Length: {len(http)}\r\n\r\n"
        )
        records.append(gzip.compress(head.encode() + http + b"\r\n\r\n", mtime=0))
    path.write_bytes(b"".join(records))
    return path


@pytest.mark.parametrize(
    ("headers", "body"),
    [
        ([], TEXT),
        ([("Content-Encoding", "gzip")], gzip.compress(TEXT, mtime=0)),
        ([("Content-Encoding", "br")], brotli.compress(TEXT)),
        ([("Content-Encoding", "gzip")], TEXT),
        ([("Transfer-Encoding", "chunked")], CHUNKED),
        ([("Transfer-Encoding", "chunked")], TEXT),
    ],
)
def test_bodies_are_decoded_or_taken_as_they_are(
    tmp_path: Path, headers: list[tuple[str, str]], body: bytes
) -> None:
    path = archive(tmp_path / "a.warc.gz", ("http://a.example/", "200 OK", headers, body))
    stored = WarcResponses.load(path).find("GET", "http://a.example/#part")
    assert stored is not None
    assert stored.body == TEXT
    assert stored.headers == ()


def test_redirects_inside_the_archive_are_followed(tmp_path: Path) -> None:
    source = WarcResponses.load(
        archive(
            tmp_path / "a.warc.gz",
            ("http://a.example", "301 Moved", [("Location", "/b")], b""),
            ("https://a.example/b", "200 OK", [("Content-Type", "text/html")], TEXT),
            ("http://loop.example/", "302 Found", [("Location", "/")], b""),
        )
    )
    assert source.final_url("http://a.example/") == "http://a.example/b"
    found = source.find("GET", "http://a.example/")
    assert found is not None
    assert (found.status, found.body) == (200, TEXT)
    assert source.find("POST", "http://a.example/b") is None
    assert source.find("GET", "http://missing.example/") is None
    loop = source.find("GET", "http://loop.example/")
    assert loop is not None
    assert loop.status == 302


def test_an_archive_larger_than_the_limit_is_refused(tmp_path: Path) -> None:
    bomb = gzip.compress(b"\0" * 100_000, mtime=0)
    path = archive(
        tmp_path / "a.warc.gz",
        ("http://a.example/", "200 OK", [("Content-Encoding", "gzip")], bomb),
    )
    with pytest.raises(ValueError, match="larger than 1000"):
        WarcResponses.load(path, max_bytes=1000)
