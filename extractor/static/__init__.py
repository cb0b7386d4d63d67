"""A snapshot from bytes, without a browser: what markup and style rules tell."""

from extractor.static.answer import StaticOptions, needs_browser, snapshot_from_bytes

__all__ = ["StaticOptions", "needs_browser", "snapshot_from_bytes"]
