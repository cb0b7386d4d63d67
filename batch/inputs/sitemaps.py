"""Sitemaps (sitemaps.org): lists of pages, and indexes of such lists, gzipped or not.

A sitemap is a stranger's XML. A document type ends the reading, so that no entity is ever expanded; nothing
is fetched but by the function that is handed in, and size, number and depth have limits.
"""

from __future__ import annotations

import io
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import BinaryIO, Literal

import zstandard
from lxml import etree

from batch.errors import InputError
from batch.inputs.lines import decompressed, peek
from batch.inputs.lists import Entry
from batch.inputs.outside import Get
from batch.inputs.report import InputReport
from batch.inputs.rules import InputRules

_FIELDS = ("lastmod", "changefreq", "priority")


@dataclass(slots=True)
class _Walk:
    """One reading of a tree of sitemaps."""

    rules: InputRules
    report: InputReport
    get: Get
    met: set[str] = field(default_factory=set)

    def read(self, stream: BinaryIO, name: str, depth: int) -> Iterator[Entry]:
        waiting: list[str] = []
        for line, tag, found in _locations(_bounded(stream, self.rules, name), name):
            place = f"{name}: line {line}"
            if not found.get("loc"):
                self.report.note_bad(place, "no_address", f"a {tag} without loc")
            elif tag == "sitemap":
                waiting.append(found["loc"])
            else:
                yield Entry(place, found["loc"], {k: found[k] for k in _FIELDS if k in found})
        # Only once the index is read: a list that is large is not held open meanwhile.
        for url in waiting:
            yield from self.enter(url, name, depth + 1)

    def enter(self, url: str, parent: str, depth: int) -> Iterator[Entry]:
        rules, report = self.rules, self.report
        if url in self.met:
            report.note_skipped("sitemap_again")
        elif depth > rules.sitemap_depth:
            report.note_bad(parent, "sitemap_depth", f"{url}: more than {rules.sitemap_depth} deep")
        elif len(self.met) >= rules.max_sitemaps:
            report.note_bad(parent, "max_sitemaps", f"{url}: more than {rules.max_sitemaps}")
        else:
            self.met.add(url)
            try:
                yield from self.read(io.BytesIO(self.get(url)), url, depth)
            except InputError as error:
                report.note_bad(parent, "sitemap", error.message)


def read_sitemap(
    stream: BinaryIO, name: str, *, rules: InputRules, report: InputReport, get: Get
) -> Iterator[Entry]:
    """The pages of a sitemap, and of those that it leads to, in order.

    What is wrong with one that it leads to is noted, and the others are read.

    Args:
        stream: the sitemap.
        name: its file or address.
        rules: limits.
        report: where is noted what was left out.
        get: fetches another one.

    Raises:
        InputError: the sitemap itself is not usable; names the line.
    """
    walk = _Walk(rules, report, get, {name})
    yield from walk.read(stream, name, 0)


class _Bounded(io.RawIOBase):
    """Bytes up to a limit, and an error after it."""

    def __init__(self, stream: BinaryIO, max_bytes: int, name: str) -> None:
        self._stream, self._left, self._max, self._name = stream, max_bytes, max_bytes, name

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        try:
            chunk = self._stream.read(min(len(buffer), self._left + 1))
        except (OSError, EOFError, zlib.error, zstandard.ZstdError) as error:
            raise InputError(f"{self._name}: damaged: {error}") from error
        self._left -= len(chunk)
        if self._left < 0:
            raise InputError(f"{self._name}: larger than {self._max} bytes")
        buffer[: len(chunk)] = chunk
        return len(chunk)


def _bounded(stream: BinaryIO, rules: InputRules, name: str) -> BinaryIO:
    return io.BufferedReader(_Bounded(decompressed(stream), rules.max_sitemap_bytes, name))


def _locations(
    stream: BinaryIO, name: str
) -> Iterator[tuple[int, Literal["url", "sitemap"], dict[str, str]]]:
    """Line, tag and texts of every ``url`` and ``sitemap`` element."""
    head, stream = peek(stream)
    if not head.lstrip(b"\xef\xbb\xbf \t\r\n"):
        raise InputError(f"{name}: empty")
    events = etree.iterparse(
        stream,
        events=("start", "end"),
        resolve_entities=False,
        load_dtd=False,
        no_network=True,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )
    root: etree._Element | None = None
    try:
        for event, element in events:
            if root is None:
                root = _checked_root(element, name)
            tag = etree.QName(element).localname
            if event == "end" and tag in ("url", "sitemap") and element.getparent() is root:
                texts = {
                    etree.QName(child).localname: (child.text or "").strip()
                    for child in element
                    if isinstance(child.tag, str)
                }
                yield element.sourceline or 0, tag, texts
                _forget(element, root)
    except etree.XMLSyntaxError as error:
        first = events.error_log[0] if len(events.error_log) else None
        line, message = (first.line, first.message) if first else (error.lineno, error.msg)
        raise InputError(f"{name}: line {line}: {message}") from error


def _forget(element: etree._Element, root: etree._Element) -> None:
    """Free what was read; what the parser has read ahead stays."""
    element.clear()
    while root[0] is not element:
        del root[0]


def _checked_root(element: etree._Element, name: str) -> etree._Element:
    info = element.getroottree().docinfo
    if info.internalDTD is not None or info.doctype:
        raise InputError(f"{name}: a sitemap with a document type is not read")
    tag = etree.QName(element).localname
    if tag not in ("urlset", "sitemapindex"):
        raise InputError(f"{name}: {tag} is no sitemap (urlset or sitemapindex)")
    return element
