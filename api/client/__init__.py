"""A typed client of the service, for Python: ``Pagefold`` waits, ``AsyncPagefold`` is awaited.

JavaScript has the same in ``pagefold.mjs`` beside this file.
"""

from api.client.answers import (
    AppendedPage,
    Context,
    Control,
    Expanded,
    Fold,
    KeyInfo,
    Line,
    Link,
    Outcome,
    Page,
    Report,
    Scan,
    Session,
    Tab,
    Verdict,
)
from api.client.awaiting import AsyncPagefold
from api.client.blocking import Pagefold
from api.client.errors import (
    Busy,
    Conflict,
    InvalidInput,
    NoAnswer,
    NotAllowed,
    NotFound,
    PageFailed,
    PagefoldError,
    ProblemError,
    VersionMismatch,
)
from api.client.following import Event
from api.client.options import PageOptions, SessionOptions
from api.client.retrying import Retries

__all__ = [
    "AppendedPage", "AsyncPagefold", "Busy", "Conflict", "Context", "Control", "Event", "Expanded", "Fold",
    "InvalidInput", "KeyInfo", "Line", "Link", "NoAnswer", "NotAllowed", "NotFound", "Outcome", "Page",
    "PageFailed", "PageOptions", "Pagefold", "PagefoldError", "ProblemError", "Report", "Retries",
    "Scan", "Session", "SessionOptions", "Tab", "Verdict", "VersionMismatch",
]  # fmt: skip
