"""From whatever holds addresses, or archived answers, to tasks: one stream, in the order of the input."""

from __future__ import annotations

import hashlib
import io
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO
from urllib.parse import urldefrag

from batch.errors import InputError, extra
from batch.inputs.detect import detect
from batch.inputs.lines import peek, read_lines
from batch.inputs.lists import Entry, read_csv, read_jsonl, read_text
from batch.inputs.outside import Get, files_outside
from batch.inputs.report import InputReport
from batch.inputs.rules import InputRules
from batch.inputs.sitemaps import read_sitemap
from batch.task import Task
from extractor.egress.policy import judge_url
from extractor.errors import BlockedAddress, InvalidUrl
from extractor.settings import ExtractorSettings

#: Enough for the first block of anything compressed.
_HEAD_BYTES = 262_144
DEFAULT_RULES = InputRules()


def open_tasks(
    source: str,
    *,
    rules: InputRules = DEFAULT_RULES,
    report: InputReport | None = None,
    settings: ExtractorSettings | None = None,
) -> Iterator[Task]:
    """Every task of an input, in its order. Memory: one entry, and some 170 bytes for each address that
    must not come twice.

    Args:
        source: a file, ``-`` for standard input, or the http(s) address of a list or sitemap.
        rules: its kind, and how it is read.
        report: filled on the way; says what was left out and why.
        settings: limits and rules for what is fetched: the source itself, and sitemaps that an index names.

    Raises:
        InputError: it cannot be read, or holds no usable entry at all; names the line.
        MissingExtra: an archive, without the packages that read them.
    """
    report = report if report is not None else InputReport(rules.kept_notes)
    with ExitStack() as stack:
        get = _lazily(stack, settings or ExtractorSettings(), rules.max_sitemap_bytes)
        head, stream = _peeked(_opened(stack, source, get))
        kind = rules.kind if rules.kind != "auto" else detect(source, head, rules.column)
        report.kind = kind
        if kind in ("warc", "wacz"):
            yield from _captures(stream, source, replace(rules, kind=kind), report)
        else:
            yield from _addresses(
                _entries(stream, source, replace(rules, kind=kind), report, get), rules, report
            )
    if not report.tasks and not report.skipped:
        first = report.bad_notes[0] if report.bad_notes else None
        why = f"{first.place}: {first.reason}: {first.detail}" if first else "it is empty"
        raise InputError(f"{source}: no usable entry ({why})")


def _entries(
    stream: BinaryIO, source: str, rules: InputRules, report: InputReport, get: Get
) -> Iterator[Entry]:
    kind = rules.kind
    if kind == "sitemap":
        return read_sitemap(stream, source, rules=rules, report=report, get=get)
    lines = read_lines(stream, rules.max_line_chars, source)
    if kind == "csv":
        return read_csv(lines, rules.column, source, report)
    if kind == "jsonl":
        return read_jsonl(lines, rules.column, report)
    return read_text(lines, report)


def _addresses(entries: Iterator[Entry], rules: InputRules, report: InputReport) -> Iterator[Task]:
    seen: dict[bytes, int] | None = None if rules.repeats == "keep" else {}
    for entry in entries:
        index = report.entries
        try:
            address = judge_url(entry.url).url
        except BlockedAddress:
            # Whether it may be opened is for the run's own rules to say; its row will.
            address = entry.url
        except InvalidUrl as error:
            report.note_bad(entry.place, "invalid_url", f"{entry.url[:200]}: {error.message}")
            continue
        if seen is not None:
            name = hashlib.blake2b(urldefrag(address).url.encode(), digest_size=16).digest()
            first = seen.setdefault(name, index)
            if first != index:
                report.note_repeat(entry.place, first)
                continue
        report.note_task()
        yield Task(index, entry.url.strip(), entry.fields)


def _captures(
    stream: BinaryIO, source: str, rules: InputRules, report: InputReport
) -> Iterator[Task]:
    extra("fastwarc")
    from batch.inputs import archives

    if not stream.seekable():
        raise InputError(f"{source}: an archive is read from a file")
    name = Path(source).name
    if rules.kind == "wacz":
        captures = archives.read_wacz(stream, name, rules=rules, report=report)
    else:
        captures = archives.read_warc(stream, name, rules=rules, report=report, listed=None)
    seen: dict[str, int] = {}
    for capture in captures:
        url, index = capture.response.url, report.entries
        if rules.repeats == "skip" and seen.setdefault(url, index) != index:
            report.note_repeat(capture.place, seen[url])
            continue
        report.note_task()
        yield Task(index, url, {}, capture.response)


def _opened(stack: ExitStack, source: str, get: Get) -> BinaryIO:
    if source == "-":
        return sys.stdin.buffer
    if source.lower().startswith(("http://", "https://")):
        return io.BytesIO(get(source))
    try:
        return stack.enter_context(Path(source).open("rb"))
    except (OSError, ValueError) as error:
        raise InputError(f"{source}: {getattr(error, 'strerror', error)}") from error


def _peeked(stream: BinaryIO) -> tuple[bytes, BinaryIO]:
    try:
        if stream.seekable():
            head = stream.read(_HEAD_BYTES)
            stream.seek(0)
            return head, stream
        return peek(stream, _HEAD_BYTES)
    except OSError as error:
        raise InputError(f"The input cannot be read: {error.strerror}") from error


def _lazily(stack: ExitStack, settings: ExtractorSettings, max_bytes: int) -> Get:
    """Fetches files; nothing is started before the first one is asked for."""
    opened: list[Get] = []

    def get(url: str) -> bytes:
        if not opened:
            opened.append(stack.enter_context(files_outside(settings, max_bytes)))
        return opened[0](url)

    return get
