"""What can go wrong with a tab and nowhere else."""

from __future__ import annotations

from extractor.errors import ExtractorError, RequestError


class StaleRef(RequestError):
    """The ref is not one of the last scan, or its element is gone: scan again."""

    code = "stale_ref"


class ScriptFailed(ExtractorError):
    """The caller's own script threw, or cannot be parsed."""

    code = "script_failed"


class NotActionable(RequestError):
    """The element is there and cannot be acted on as asked."""

    code = "not_actionable"
