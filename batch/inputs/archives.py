"""Web archives as inputs: every page that they hold becomes a task that is read without the network."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC
from typing import BinaryIO, cast

import orjson
from fastwarc import ArchiveIterator, WarcRecord, WarcRecordType

from batch.decoding import decode_body
from batch.errors import InputError
from batch.inputs.lines import read_lines
from batch.inputs.report import InputReport
from batch.inputs.rules import InputRules
from batch.task import ArchivedResponse
from extractor.egress.replay import TRANSFER_HEADERS
from extractor.sniff import kind_of

_CAPTURES = WarcRecordType.response | WarcRecordType.resource | WarcRecordType.revisit
_SNIFFED_BYTES = 1_024
#: What a file says that is damaged, or a package around it.
_DAMAGE = (OSError, EOFError, zlib.error, zipfile.BadZipFile)


@dataclass(frozen=True, slots=True)
class Capture:
    """One archived answer, and where it lies."""

    place: str
    response: ArchivedResponse


def read_warc(
    stream: BinaryIO, name: str, *, rules: InputRules, report: InputReport, listed: set[str] | None
) -> Iterator[Capture]:
    """The answers of a WARC file in order, compressed with gzip or Zstandard or not.

    Args:
        stream: one that can be sought in.
        name: of the file.
        rules: which answers are read, and how large they may be.
        report: where is noted what was left out.
        listed: addresses of pages; ``None``: no list is at hand.

    Raises:
        InputError: not one record can be read.
    """
    records, at = 0, 0
    try:
        for record in ArchiveIterator(
            stream, record_types=WarcRecordType.any_type, parse_http=True
        ):
            records, at = records + 1, record.stream_pos
            place = f"{name}: record at {at}"
            if record.record_type & _CAPTURES:
                response = _response(record, name, rules, report)
                if response is not None and _is_meant(response, rules, report, listed):
                    yield Capture(place, response)
            elif record.consume() < record.content_length:
                report.note_bad(place, "truncated", "the archive ends inside this record")
    except _DAMAGE as error:
        if not records:
            raise InputError(f"{name}: no WARC record: {error}") from error
        report.note_bad(f"{name}: after the record at {at}", "damaged", str(error))
    if not records:
        raise InputError(f"{name}: no WARC record")


def read_wacz(
    stream: BinaryIO, name: str, *, rules: InputRules, report: InputReport
) -> Iterator[Capture]:
    """The answers of every WARC file in a WACZ (Webrecorder, 1.1), in the order of their names.

    The archives are read from end to end; the indexes inside, made for look-ups, are not needed.

    Raises:
        InputError: no WACZ, or one without archives.
    """
    try:
        with zipfile.ZipFile(stream) as package:
            members = sorted(n for n in package.namelist() if _is_archive(n))
            if not members:
                raise InputError(f"{name}: no WARC file in archive/; is it a WACZ?")
            listed = _listed_pages(package, rules) if rules.records == "listed" else None
            for member in members:
                with _opened(package, member) as warc:
                    inner = f"{name}/{member}"
                    yield from read_warc(
                        warc,
                        inner,
                        rules=rules,
                        report=report,
                        listed=listed,
                    )
    except _DAMAGE as error:
        raise InputError(f"{name}: no readable WACZ: {error}") from error


def _opened(package: zipfile.ZipFile, member: str) -> BinaryIO:
    try:
        return cast(BinaryIO, package.open(member))
    except RuntimeError as error:
        # Encrypted, or compressed in a way that is not supported.
        raise InputError(f"{member}: no readable part of a WACZ: {error}") from error


def _is_archive(name: str) -> bool:
    return name.startswith("archive/") and name.endswith((".warc", ".warc.gz", ".warc.zst"))


def _listed_pages(package: zipfile.ZipFile, rules: InputRules) -> set[str]:
    """Addresses of ``pages/*.jsonl``; the first line of such a file describes it."""
    found: set[str] = set()
    for member in package.namelist():
        if member.startswith("pages/") and member.endswith(".jsonl"):
            with _opened(package, member) as pages:
                for line in read_lines(pages, rules.max_line_chars, member):
                    try:
                        value = orjson.loads(line.text)
                    except orjson.JSONDecodeError:
                        continue
                    if isinstance(value, dict) and isinstance(value.get("url"), str):
                        found.add(value["url"])
    if not found:
        raise InputError("pages/*.jsonl lists no page; read it with records=html")
    return found


def _response(
    record: WarcRecord, name: str, rules: InputRules, report: InputReport
) -> ArchivedResponse | None:
    place = f"{name}: record at {record.stream_pos}"
    url = (record.headers.get("WARC-Target-URI") or "").strip("<> ")
    kept_apart = _kept_apart(record, url)
    if kept_apart is not None:
        report.note_skipped(kept_apart)
        return None
    size = record.content_length
    if size > rules.max_record_bytes:
        report.note_bad(
            place, "too_large", f"{size} bytes; max_record_bytes is {rules.max_record_bytes}"
        )
        return None
    raw = record.reader.read()
    if len(raw) < size:
        report.note_bad(place, "truncated", f"{len(raw)} of {size} bytes: the archive ends here")
        return None
    if record.record_type == WarcRecordType.resource:
        headers = (("Content-Type", record.headers.get("Content-Type") or ""),)
        return _archived(record, name, url, (200, headers, raw))
    http = record.http_headers
    try:
        body = decode_body(
            raw,
            http.get("Transfer-Encoding") or "",
            http.get("Content-Encoding") or "",
            rules.max_record_bytes,
        )
    except ValueError as error:
        report.note_bad(place, "too_large", str(error))
        return None
    kept = tuple(
        (key, value) for key, value in http.to_tuples() if key.lower() not in TRANSFER_HEADERS
    )
    return _archived(record, name, url, (http.status_code or 200, kept, body))


def _kept_apart(record: WarcRecord, url: str) -> str | None:
    """Why a record holds no answer of its own; ``None`` where it does."""
    if record.record_type == WarcRecordType.revisit:
        return "revisit"
    if not url.lower().startswith(("http://", "https://")):
        return "not_http"
    if record.record_type == WarcRecordType.response and not record.is_http_parsed:
        return "not_http"
    return None


def _archived(
    record: WarcRecord,
    name: str,
    url: str,
    answer: tuple[int, tuple[tuple[str, str], ...], bytes],
) -> ArchivedResponse:
    status, headers, body = answer
    date = record.record_date
    return ArchivedResponse(
        url=url,
        status=status,
        headers=headers,
        body=body,
        fetched_at=date.astimezone(UTC).isoformat(timespec="seconds") if date else "",
        archive=name,
        offset=record.stream_pos,
        record_id=(record.record_id or "").strip("<>"),
    )


def _is_meant(
    response: ArchivedResponse, rules: InputRules, report: InputReport, listed: set[str] | None
) -> bool:
    if rules.records == "all":
        return True
    reason = None
    content_type = next((v for k, v in response.headers if k.lower() == "content-type"), None)
    if 300 <= response.status < 400:
        reason = "redirect"
    elif kind_of(content_type, response.body[:_SNIFFED_BYTES]) != "html":
        reason = "not_html"
    elif listed is not None and response.url not in listed:
        reason = "not_listed"
    if reason is not None:
        report.note_skipped(reason)
    return reason is None
