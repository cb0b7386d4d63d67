"""What the service refuses, as exceptions; the base class is enough to catch them all.

PagefoldError
├── NoAnswer              no connection, or it broke off        retryable
└── ProblemError          an answer that is a problem document  `code` is stable
    ├── InvalidInput      400, 413, 422
    ├── NotAllowed        401, 403, 421
    ├── NotFound          404
    ├── VersionMismatch   412: the session has moved on
    ├── Conflict          409
    ├── Busy              429, 503: all places are taken, or it is stopping
    └── PageFailed        502, 504: the page, not the service
"""

from __future__ import annotations

import json
from collections.abc import Mapping


class PagefoldError(Exception):
    """Base of all errors of the client.

    Attributes:
        message: one sentence for people.
        retryable: whether the same request may succeed later.
    """

    def __init__(self, message: str, *, retryable: bool) -> None:
        super().__init__(message)
        self.message = message
        self.retryable = retryable


class NoAnswer(PagefoldError):
    """Nothing answers at the address, or the connection broke off before the answer was complete."""


class ProblemError(PagefoldError):
    """The service answered with a problem document.

    Attributes:
        code: stable name of the failure, as in ``docs/reference/errors.md``.
        status: the HTTP status.
        phase: what the service was doing.
        field: name of the request field at fault, or ``None``.
        retry_after_s: seconds after which to ask again, where the service says so.
    """

    def __init__(
        self, problem: Mapping[str, object], status: int, *, retry_after_s: float | None = None
    ) -> None:
        code, detail = str(problem["code"]), str(problem["detail"])
        super().__init__(detail, retryable=bool(problem.get("retryable", False)))
        self.code = code
        self.status = status
        self.phase = str(problem.get("phase", "request"))
        self.field = str(problem["field"]) if problem.get("field") is not None else None
        self.retry_after_s = retry_after_s

    def __str__(self) -> str:
        return f"{self.code}: {self.message}"


class InvalidInput(ProblemError):
    """The request cannot be used as it is."""


class NotAllowed(ProblemError):
    """No valid key, or one that does not allow this; or an address that the egress policy refuses."""


class NotFound(ProblemError):
    """There is no such thing, or it is another tenant's."""


class VersionMismatch(ProblemError):
    """The session is at another version than the caller expected; nothing was written."""


class Conflict(ProblemError):
    """The same request is still running, or others were faster."""


class Busy(ProblemError):
    """All places are taken, or the service is stopping; nothing was done."""


class PageFailed(ProblemError):
    """The page could not be had."""


_BY_STATUS: Mapping[int, type[ProblemError]] = {
    400: InvalidInput,
    401: NotAllowed,
    403: NotAllowed,
    404: NotFound,
    409: Conflict,
    412: VersionMismatch,
    413: InvalidInput,
    421: NotAllowed,
    422: InvalidInput,
    429: Busy,
    502: PageFailed,
    503: Busy,
    504: PageFailed,
}


def error_of(status: int, body: bytes, *, retry_after_s: float | None = None) -> ProblemError:
    """The error that an answer with ``status`` and ``body`` means; something between may have sent it."""
    try:
        problem = json.loads(body)
        problem["code"], problem["detail"]
    except (ValueError, TypeError, KeyError):
        problem = {
            "code": "not_pagefold",
            "detail": f"The answer ({status}) is no problem document.",
        }
    kind = _BY_STATUS.get(status, ProblemError)
    return kind(problem, status, retry_after_s=retry_after_s)
