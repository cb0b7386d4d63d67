"""One row of a data set: what was read from one line of the input.

The line under a field is its documentation, in code and in the reference of the schema alike. Sizes named
``chars`` are Unicode code points, ``bytes`` are bytes of a decoded body, hashes are SHA-256 in hexadecimal.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, NewType

import orjson

#: Raised whenever a field comes, goes or changes its meaning.
SCHEMA_VERSION = 1

#: A value without a fixed form: an object in JSONL, JSON text in Parquet.
Json = NewType("Json", dict[str, Any])


@dataclass(frozen=True, slots=True)
class RowRegion:
    """A part of the page with a role."""

    role: str
    """`main`, `article`, `nav`, `header`, `footer`, `aside`, `list`, `table`, `form`, `consent`, …"""
    ref: str
    """Its name in the page."""
    chars: int
    """Visible code points inside it."""
    path: str
    """Tags from the root to it, as a CSS selector."""
    confidence: float
    """How sure the role is, 0 to 1."""


@dataclass(frozen=True, slots=True)
class RowFold:
    """A part of the page that `markdown` has only a marker of."""

    ref: str
    """Its name in the page, as the marker has it."""
    items: int
    """Units behind it: sentences, lines, items, table rows."""
    chars: int
    """Visible code points behind it."""
    what: str
    """What stands behind it, in a few words of the page's own."""
    region: str
    """Role of the region that it begins in."""
    rule: str
    """Why it was left out: `budget`, `main_only`."""


@dataclass(frozen=True, slots=True)
class RowWarning:
    """What one should know of a page and is no error."""

    code: str
    """Stable name: `hidden_text`, `undecodable`, `sheets`, …"""
    text: str
    """One line for people."""
    count: int
    """How often it happened."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """How large the page is, from the wire to what was kept."""

    body_bytes: int
    """Decoded bytes of the answer."""
    raw_chars: int
    """Code points of the page's own markup, before any cleaning."""
    visible_chars: int
    """Code points of text that a reader can see."""
    kept_chars: int
    """Of these, those in `markdown`."""
    hidden_chars: int
    """Code points of text that a reader cannot see."""
    html_chars: int
    """Code points of `html`, markup included."""
    text_chars: int
    """Code points of `text`."""
    markdown_chars: int
    """Code points of `markdown`, markup and markers included."""
    nodes: int
    """Elements and texts of the document."""


@dataclass(frozen=True, slots=True)
class Hashes:
    """By what a page can be recognised."""

    body_sha256: str
    """Of the answer's decoded bytes."""
    html_sha256: str
    """Of `html` as UTF-8."""
    text_sha256: str
    """Of `text` as UTF-8."""
    markdown_sha256: str
    """Of `markdown` as UTF-8."""


@dataclass(frozen=True, slots=True)
class Source:
    """The archived answer that the row was read from."""

    archive: str
    """Name of the file."""
    offset: int
    """Bytes from its start to the record."""
    record_id: str
    """The record's `WARC-Record-ID`."""


@dataclass(frozen=True, slots=True)
class FilterUsed:
    """What made `html`, `text` and `markdown` of the page."""

    name: str
    """`pagefold`, `visible`, `raw`, `readability`, or one that is installed."""
    version: str
    """Version of the package that it comes with."""


@dataclass(frozen=True, slots=True)
class RowError:
    """Why there is no page."""

    code: str
    """Stable name: `http_404`, `robots_disallowed`, or one of the [error codes](errors.md)."""
    message: str
    """One sentence for people."""
    phase: str
    """Where it happened: `robots`, `resolve`, `connect`, `navigate`, `filter`, …"""
    retryable: bool
    """Whether the same address may work later."""


@dataclass(frozen=True, slots=True)
class Row:
    """What was read from one line of the input."""

    index: int
    """Position of its line in the input, counted from 0."""
    key: str
    """Names the line in every run over the same input: 32 hexadecimal digits."""
    url: str
    """The address asked for, as the input has it."""
    schema_version: int = SCHEMA_VERSION
    """Version of this schema."""
    fields: Mapping[str, str] = field(default_factory=dict)
    """The other columns of the input's line, as text."""
    final_url: str | None = None
    """The address after redirects."""
    redirects: tuple[str, ...] = ()
    """Addresses on the way, in order, the first one included; empty where there was none."""
    status: int | None = None
    """HTTP status of the last answer; null where there was none."""
    content_type: str | None = None
    """Media type of the answer, without parameters."""
    charset: str | None = None
    """The encoding that it was read in."""
    fetched_at: str | None = None
    """When it was fetched or archived: ISO 8601 in UTC, to the second."""
    render: str | None = None
    """`static`, `browser`, or `archive` where it was read from one."""
    title: str | None = None
    """Its title, without Unicode tricks."""
    lang: str | None = None
    """Its language as it says itself (BCP 47), or empty."""
    html: str | None = None
    """The whole page as clean HTML: what a person would see."""
    text: str | None = None
    """The whole page as text."""
    markdown: str | None = None
    """The main content as Markdown, with a marker for each part that was left out."""
    metadata: Json | None = None
    """JSON-LD, OpenGraph, canonical address, author, dates."""
    regions: tuple[RowRegion, ...] = ()
    """Parts of the page with a role, in reading order."""
    folds: tuple[RowFold, ...] = ()
    """What `markdown` left out, in reading order."""
    warnings: tuple[RowWarning, ...] = ()
    """What one should know and is no error."""
    complete: bool | None = None
    """False where a limit or the deadline cut the page short; null where there is no page."""
    incomplete_reason: str | None = None
    """The limit that cut it short."""
    sizes: Sizes | None = None
    """How large it is."""
    hashes: Hashes | None = None
    """By what it can be recognised."""
    rights: Json | None = None
    """What the site says about its use: see [the rights record](#rights-record)."""
    source: Source | None = None
    """The archived answer that it was read from; null where it was fetched."""
    filter: FilterUsed | None = None
    """What made its contents."""
    attempts: int = 0
    """How often it was asked for; 0 where it never was."""
    error: RowError | None = None
    """Why there is no page; null where there is one."""

    @property
    def outcome(self) -> str:
        """``ok``, or the code of its error."""
        return self.error.code if self.error is not None else "ok"


_MOST = 2**63 - 1


def line_of(row: Row) -> bytes:
    """A row as JSON in one line, without the line's end. Linear.

    What JSON readers do not agree on is put into what they do: a lone surrogate becomes U+FFFD, an integer of
    more than 64 bits its digits as text, a number that is none null.
    """
    try:
        return orjson.dumps(row)
    except TypeError:
        return orjson.dumps(_plain(asdict(row)))


def _plain(value: object) -> object:
    match value:
        case str():
            return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        case int() if not -_MOST <= value <= _MOST:
            return str(value)
        case Mapping():
            return {str(_plain(str(name))): _plain(item) for name, item in value.items()}
        case list() | tuple():
            return [_plain(item) for item in value]
        case _:
            return value
