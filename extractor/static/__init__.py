"""A snapshot from bytes, without a browser: what markup and style rules tell."""

from extractor.static.answer import StaticOptions, snapshot_from_bytes
from extractor.static.need import needs_browser

__all__ = ["StaticOptions", "needs_browser", "snapshot_from_bytes"]
