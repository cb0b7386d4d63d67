"""Every error that the extractor raises, with its stable code.

    ExtractorError
    ├── RequestError            the caller's input cannot be used          (phase "request")
    │   ├── InvalidRequest      invalid_request
    │   ├── InvalidUrl          invalid_url
    │   ├── InvalidSelector     invalid_selector
    │   └── BudgetImpossible    budget_impossible
    ├── BlockedAddress          blocked_address
    ├── NetworkError            the other side could not be reached
    │   ├── DnsError            dns
    │   ├── ConnectError        connect
    │   ├── TlsError            tls
    │   └── HttpProtocolError   http_protocol
    ├── DeadlineExceeded        deadline
    ├── CapError                a cap of the page, named with its setting
    │   ├── TooLarge            too_large
    │   ├── TooManyRedirects    too_many_redirects
    │   └── TooManyNavigations  too_many_navigations
    ├── NotAPageError           the answer is no page
    │   ├── UnsupportedMedia    unsupported_media
    │   ├── DownloadError       download
    │   └── EmptyPage           empty
    ├── BrowserError            the browser failed
    │   ├── PageCrashed         page_crashed
    │   ├── BrowserCrashed      browser_crashed
    │   ├── PageUnresponsive    page_unresponsive
    │   └── BrowserMissing      browser_missing
    ├── Busy                    busy
    ├── Draining                draining
    ├── SnapshotCorrupt         artifact_corrupt
    ├── StorageFull             storage_full
    └── NotFound                not_found

Codes never change their meaning. HTTP statuses are known to ``api/errors.py`` alone.
"""

from __future__ import annotations

from typing import ClassVar, Literal

Phase = Literal[
    "request", "resolve", "connect", "navigate", "settle", "clone", "filter", "fold", "render"
]


class ExtractorError(Exception):
    """Base of all extractor errors.

    Attributes:
        code: stable, machine-readable name of the error.
        retryable: whether the same request may succeed later.
        phase: where in the pipeline it happened.
        message: one sentence for the caller; never holds resolved addresses or secrets.
        detail: exact facts for the operator's log, never for the caller.
        field: name of the request field at fault, or ``None``.
    """

    code: ClassVar[str] = "internal"
    retryable: ClassVar[bool] = False
    default_phase: ClassVar[Phase] = "request"

    def __init__(
        self,
        message: str,
        *,
        phase: Phase | None = None,
        detail: str = "",
        field: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.phase: Phase = phase or self.default_phase
        self.detail = detail
        self.field = field


class RequestError(ExtractorError):
    """The caller's input cannot be used as it is."""


class InvalidRequest(RequestError):
    code = "invalid_request"


class InvalidUrl(RequestError):
    code = "invalid_url"


class InvalidSelector(RequestError):
    code = "invalid_selector"


class BudgetImpossible(RequestError):
    code = "budget_impossible"
    default_phase: ClassVar[Phase] = "fold"


class BlockedAddress(ExtractorError):
    code = "blocked_address"
    default_phase: ClassVar[Phase] = "resolve"


class NetworkError(ExtractorError):
    """The other side could not be reached or did not speak HTTP."""

    retryable = True
    default_phase: ClassVar[Phase] = "connect"


class DnsError(NetworkError):
    code = "dns"
    default_phase: ClassVar[Phase] = "resolve"


class ConnectError(NetworkError):
    code = "connect"


class TlsError(NetworkError):
    code = "tls"
    retryable = False


class HttpProtocolError(NetworkError):
    code = "http_protocol"
    default_phase: ClassVar[Phase] = "navigate"


class DeadlineExceeded(ExtractorError):
    code = "deadline"
    retryable = True
    default_phase: ClassVar[Phase] = "navigate"


class CapError(ExtractorError):
    """A cap of the page was hit and nothing usable was left."""

    default_phase: ClassVar[Phase] = "navigate"


class TooLarge(CapError):
    code = "too_large"


class TooManyRedirects(CapError):
    code = "too_many_redirects"


class TooManyNavigations(CapError):
    code = "too_many_navigations"


class NotAPageError(ExtractorError):
    """The answer cannot be turned into a document."""

    default_phase: ClassVar[Phase] = "navigate"


class UnsupportedMedia(NotAPageError):
    code = "unsupported_media"


class DownloadError(NotAPageError):
    code = "download"


class EmptyPage(NotAPageError):
    code = "empty"


class BrowserError(ExtractorError):
    """The browser failed, not the page's server."""

    retryable = True
    default_phase: ClassVar[Phase] = "clone"


class PageCrashed(BrowserError):
    code = "page_crashed"


class BrowserCrashed(BrowserError):
    code = "browser_crashed"


class PageUnresponsive(BrowserError):
    code = "page_unresponsive"


class BrowserMissing(BrowserError):
    code = "browser_missing"
    retryable = False


class Busy(ExtractorError):
    """The queue is full; ``retry_after_s`` says when to come again."""

    code = "busy"
    retryable = True

    def __init__(self, message: str, *, retry_after_s: float = 1.0) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class Draining(ExtractorError):
    code = "draining"
    retryable = True


class NotFound(ExtractorError):
    code = "not_found"


class SnapshotCorrupt(ExtractorError):
    """What is stored is not what was saved; it is never served."""

    code = "artifact_corrupt"


class StorageFull(ExtractorError):
    """The disk is full; nothing was stored."""

    code = "storage_full"
    retryable = True
