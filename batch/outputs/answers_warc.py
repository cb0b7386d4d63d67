"""Raw answers as WARC 1.1 (ISO 28500:2017), one gzip member a record."""

from __future__ import annotations

import io
import uuid
from http import HTTPStatus
from importlib.metadata import version
from typing import BinaryIO

from batch.errors import extra
from extractor.answers import Answer
from extractor.egress.replay import TRANSFER_HEADERS

#: Records of one row have the same id in every run, so that a shard made again is the same.
_SPACE = uuid.UUID("5f0c3c0e-6d0b-5a57-9a0f-0a5d3f1f8f11")


def record_id(key: str) -> str:
    """The ``WARC-Record-ID`` of a row's answer."""
    return f"<urn:uuid:{uuid.uuid5(_SPACE, key)}>"


class WarcAnswers:
    """Writes response records.

    Bodies are decoded; headers that no longer fit keep their value under ``X-Orig-``.

    Raises:
        MissingExtra: warcio is not installed.
    """

    suffix = ".warc.gz"

    def __init__(self, file: BinaryIO, name: str) -> None:
        writer = extra("warcio.warcwriter")
        self._status = extra("warcio.statusandheaders").StatusAndHeaders
        self._out = writer.WARCWriter(file, gzip=True, warc_version="WARC/1.1")
        about = {"software": f"pagefold {version('pagefold')}", "format": "WARC File Format 1.1"}
        record = self._out.create_warcinfo_record(name, about)
        record.rec_headers.replace_header("WARC-Record-ID", record_id(name))
        record.rec_headers.replace_header("WARC-Date", "1970-01-01T00:00:00Z")
        self._out.write_record(record)

    def add(self, key: str, fetched_at: str, answer: Answer) -> None:
        """Write one answer, fetched at a time given in ISO 8601, UTC."""
        head = self._status(_status_line(answer.status), _headers(answer), protocol="HTTP/1.1")
        record = self._out.create_warc_record(
            answer.url,
            "response",
            payload=io.BytesIO(answer.body),
            length=len(answer.body),
            http_headers=head,
            warc_headers_dict={"WARC-Record-ID": record_id(key), "WARC-Date": fetched_at},
        )
        self._out.write_record(record)


def _status_line(status: int) -> str:
    try:
        return f"{status} {HTTPStatus(status).phrase}"
    except ValueError:
        return f"{status} "


def _headers(answer: Answer) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for name, value in answer.headers:
        small = name.lower()
        if small in TRANSFER_HEADERS:
            found.append((f"X-Orig-{name}", value))
        elif small == "content-type" and answer.text:
            media = value.partition(";")[0].strip()
            found += [(f"X-Orig-{name}", value), (name, f"{media}; charset=utf-8")]
        else:
            found.append((name, value))
    return [*found, ("Content-Length", str(len(answer.body)))]
