"""Turn web pages into bounded, well-formed documents. See the README for a start."""

from extractor.errors import ExtractorError
from extractor.extract import Extractor
from extractor.offline import filter_html, filter_snapshot, unfold
from extractor.page import (
    Fold,
    HiddenText,
    LedgerEntry,
    Link,
    Page,
    PageVariant,
    Region,
    Span,
    Stats,
)
from extractor.request import PageRequest
from extractor.settings import ExtractorSettings
from extractor.snapshot import Notice, Snapshot, SnapshotMeta, Wait

__all__ = [
    "Extractor",
    "ExtractorError",
    "ExtractorSettings",
    "Fold",
    "HiddenText",
    "LedgerEntry",
    "Link",
    "Notice",
    "Page",
    "PageRequest",
    "PageVariant",
    "Region",
    "Snapshot",
    "SnapshotMeta",
    "Span",
    "Stats",
    "Wait",
    "filter_html",
    "filter_snapshot",
    "unfold",
]
