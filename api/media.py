"""Which form of a page a caller wants, and the HTTP media type of each form."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from starlette.responses import Response

from api.pages_json import page_bytes
from extractor.page import Page

Format = Literal["html", "text", "markdown", "outline", "json"]

MEDIA_TYPES: Mapping[Format, str] = {
    "html": "text/html; charset=utf-8",
    "text": "text/plain; charset=utf-8",
    "markdown": "text/markdown; charset=utf-8",
    "outline": "text/plain; charset=utf-8",
    "json": "application/json",
}

_ACCEPTED: Mapping[str, Format] = {
    "text/markdown": "markdown",
    "text/html": "html",
    "application/xhtml+xml": "html",
    "text/plain": "text",
    "application/json": "json",
}


def chosen_format(wanted: Format | None, accept: str | None) -> Format:
    """The format asked for by name, else the best of the ``Accept`` header, else Markdown."""
    if wanted is not None:
        return wanted
    best: Format = "markdown"
    best_quality = 0.0
    for part in (accept or "").split(","):
        name, _, parameters = part.strip().partition(";")
        known = _ACCEPTED.get(name.strip().lower())
        quality = _quality(parameters)
        if known is not None and quality > best_quality:
            best, best_quality = known, quality
    return best


def content_format(wanted: Format) -> str:
    """The extractor's name of the format; JSON carries the page's Markdown."""
    return "markdown" if wanted == "json" else wanted


def page_response(page: Page, wanted: Format) -> Response:
    """``page`` in one form; sizes, snapshot and completeness stand in ``X-Pagefold-*`` headers."""
    body = page_bytes(page) if wanted == "json" else page.content[wanted].encode()
    snapshot = page.snapshot.id
    headers = {
        "X-Pagefold-Snapshot": snapshot,
        "X-Pagefold-Status": str(page.status),
        "X-Pagefold-Complete": "true" if page.complete else "false",
        "X-Pagefold-Visible-Chars": str(page.stats.visible_chars),
        "X-Pagefold-Kept-Chars": str(page.stats.kept_chars),
        "X-Pagefold-Folds": str(len(page.folds)),
        "X-Pagefold-Warnings": str(len(page.warnings)),
        "Link": f'</v1/snapshots/{snapshot}>; rel="alternate"; title="snapshot"',
        "Vary": "Accept",
    }
    return Response(body, headers=headers, media_type=MEDIA_TYPES[wanted])


def _quality(parameters: str) -> float:
    for parameter in parameters.split(";"):
        name, _, value = parameter.strip().partition("=")
        if name == "q":
            try:
                return float(value)
            except ValueError:
                return 0.0
    return 1.0
