"""How an input is read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

Kind = Literal["text", "csv", "jsonl", "sitemap", "warc", "wacz"]
KINDS: tuple[Kind, ...] = get_args(Kind)
Repeats = Literal["auto", "skip", "keep"]
Records = Literal["html", "listed", "all"]


@dataclass(frozen=True, slots=True)
class InputRules:
    """How an input is read.

    Attributes:
        kind: of the input; ``auto`` goes by its content, then by its name.
        column: the one with the address: a name, or ``#1`` for the first of a CSV file without a header.
        repeats: whether an address that came before is left out (``skip``) or read again (``keep``);
            ``auto`` skips in lists and keeps in archives, where each record is a capture of its own.
        records: which answers of an archive are read: ``html``, without redirects; ``listed``, those of
            them that a WACZ lists as pages; or ``all``.
        max_line_chars: a longer line is a bad one.
        max_record_bytes: decoded bytes of one archived body; a larger one is a bad entry.
        max_sitemap_bytes: decompressed bytes of one sitemap.
        max_sitemaps: sitemaps that one index may lead to.
        sitemap_depth: indexes inside indexes.
        kept_notes: bad entries and repeats that the report names; more are counted.
    """

    kind: Kind | Literal["auto"] = "auto"
    column: str = "url"
    repeats: Repeats = "auto"
    records: Records = "html"
    max_line_chars: int = 1_000_000
    max_record_bytes: int = 20_000_000
    max_sitemap_bytes: int = 52_428_800
    max_sitemaps: int = 10_000
    sitemap_depth: int = 3
    kept_notes: int = 100
