"""The answer that a page's document comes from, and what it turns out to be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from extractor.egress.forward import REFUSED_HEADER
from extractor.errors import DownloadError

#: What Chromium builds a document from; for anything else it shows a viewer of its own.
_DOCUMENTS = frozenset({"text/html", "application/xhtml+xml", ""})
REFUSED = REFUSED_HEADER.decode("ascii").lower()


class NotHtml(Exception):
    """The answer is no HTML: the static path takes it. ``content_type`` is as the server said."""

    def __init__(self, content_type: str, url: str) -> None:
        super().__init__(content_type)
        self.content_type = content_type
        self.url = url


class Refused(Exception):
    """The egress proxy answered in the place of the page's server; the argument is its code."""


class PageStopped(Exception):
    """The page hit a cap and was stopped: what there is can be read. The argument names the setting."""


@dataclass(frozen=True, slots=True)
class Caps:
    """Limits of one page; bytes are decoded ones. ``frames`` and ``workers`` are those at one time."""

    document_bytes: int
    page_bytes: int
    requests: int
    redirects: int
    navigations: int
    nodes: int
    frames: int
    workers: int
    dialogs: int
    popups: int


@dataclass(slots=True)
class MainDocument:
    """The answer that the page's document comes from."""

    request_id: str = ""
    url: str = ""
    status: int = 0
    content_type: str = ""
    charset: str = ""
    headers: tuple[tuple[str, str], ...] = ()
    received: int = 0
    redirects: list[str] = field(default_factory=list)
    failure: str = ""


def refusal_in(headers: Mapping[str, str]) -> str:
    """The proxy's reason when it answered in the place of a server, else empty."""
    return headers.get(REFUSED, "")


def is_download(headers: Mapping[str, str], sniffed: str) -> bool:
    """Whether a browser saves the answer instead of showing it; ``headers`` have lower-case names."""
    if headers.get("content-disposition", "").lower().lstrip().startswith("attachment"):
        return True
    declared = headers.get("content-type", "").partition(";")[0].strip().lower() or sniffed.lower()
    shown = declared in _DOCUMENTS or declared.startswith(("text/", "image/", "audio/", "video/"))
    return not (shown or declared.endswith(("json", "xml", "javascript", "ecmascript")))


def no_page(headers: Mapping[str, str], sniffed: str, url: str) -> Exception | None:
    """Why an answer is no HTML page, or ``None``; ``headers`` have lower-case names."""
    declared = headers.get("content-type", "")
    mime = declared.partition(";")[0].strip().lower()
    attached = headers.get("content-disposition", "").lower().lstrip().startswith("attachment")
    if attached and mime in _DOCUMENTS:
        return DownloadError("the server offers this address as a download")
    if mime not in _DOCUMENTS or (not mime and sniffed.lower() not in _DOCUMENTS):
        return NotHtml(declared or sniffed.lower(), url)
    return None
