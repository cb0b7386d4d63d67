"""Archives as a source of answers, also when their headers and bodies disagree."""

from __future__ import annotations

import gzip
import io
from pathlib import Path

import brotli
import pytest
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from batch.warc import WarcResponses

TEXT = "<p>größe</p>".encode()
CHUNKED = b"5;x=1\r\n<p>gr\r\n%x\r\n%b\r\n0\r\n\r\n" % (len(TEXT) - 5, TEXT[5:])

Stored = tuple[str, str, list[tuple[str, str]], bytes]


def archive(path: Path, *answers: Stored) -> Path:
    with path.open("wb") as file:
        writer = WARCWriter(file, gzip=True)
        for url, status, headers, body in answers:
            http = StatusAndHeaders(status, headers, protocol="HTTP/1.1")
            record = writer.create_warc_record(
                url, "response", payload=io.BytesIO(body), http_headers=http
            )
            writer.write_record(record)
    return path


@pytest.mark.parametrize(
    ("headers", "body"),
    [
        ([], TEXT),
        ([("Content-Encoding", "gzip")], gzip.compress(TEXT)),
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
    bomb = gzip.compress(b"\0" * 100_000)
    path = archive(
        tmp_path / "a.warc.gz",
        ("http://a.example/", "200 OK", [("Content-Encoding", "gzip")], bomb),
    )
    with pytest.raises(ValueError, match="larger than 1000"):
        WarcResponses.load(path, max_bytes=1000)
