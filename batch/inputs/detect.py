"""What an input is: by its first bytes, and where they leave it open, by its name."""

from __future__ import annotations

import io
import re
import zlib

import zstandard

from batch.errors import InputError
from batch.inputs.lines import GZIP, ZSTD
from batch.inputs.rules import Kind

_BY_NAME: dict[str, Kind] = {
    "csv": "csv",
    "tsv": "csv",
    "jsonl": "jsonl",
    "ndjson": "jsonl",
    "xml": "sitemap",
    "warc": "warc",
    "wacz": "wacz",
}
_SITEMAP = re.compile(rb"<(?:[A-Za-z_][\w.-]*:)?(?:urlset|sitemapindex)[\s>/]")
_COMPRESSED = (".gz", ".zst", ".zstd")


def detect(name: str, head: bytes, column: str) -> Kind:
    """The kind of an input.

    Args:
        name: of the file, or its address.
        head: its first bytes, as they are stored.
        column: that a CSV file would have.

    Raises:
        InputError: XML that is no sitemap, or bytes that are no text.
    """
    if head.startswith(b"PK\x03\x04"):
        return "wacz"
    named = _BY_NAME.get(_ending(name))
    start = _plain(head).lstrip(b"\xef\xbb\xbf \t\r\n")
    if not start and named is not None:
        return named
    if start.startswith(b"WARC/"):
        return "warc"
    if start.startswith(b"<"):
        # Long comments may stand in front; the reader says what is wrong if it is none after all.
        if _SITEMAP.search(start) or named == "sitemap":
            return "sitemap"
        raise InputError(f"{name}: markup that is no sitemap (urlset or sitemapindex)")
    if start.startswith(b"{"):
        return "jsonl"
    if b"\x00" in start and not head.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise InputError(f"{name}: neither text nor an archive; name its kind if it is one")
    if named in ("csv", "jsonl"):
        return named
    if named in ("warc", "wacz"):
        raise InputError(f"{name}: no WARC record in it, whatever its name says")
    return "csv" if _has_column(start, column) else "text"


def _has_column(start: bytes, column: str) -> bool:
    first = start.partition(b"\n")[0].decode("utf-8", "replace")
    cells = [cell.strip().strip('"') for cell in re.split(r"[,;\t|]", first)]
    return column in cells


def _ending(name: str) -> str:
    bare = re.split(r"[?#]", name.lower(), maxsplit=1)[0]
    for ending in _COMPRESSED:
        bare = bare.removesuffix(ending)
    return bare.rpartition(".")[2]


def _plain(head: bytes) -> bytes:
    """The beginning of what was compressed; empty where it is damaged."""
    try:
        if head.startswith(GZIP):
            return zlib.decompressobj(31).decompress(head, 8_192)
        if head.startswith(ZSTD):
            return zstandard.ZstdDecompressor().stream_reader(io.BytesIO(head)).read(8_192)
    except (zlib.error, zstandard.ZstdError):
        return b""
    return head
