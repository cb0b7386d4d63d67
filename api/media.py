"""Which form of a page a caller wants, and the HTTP media type of each form."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any, Literal

import orjson
from starlette.responses import Response

from api.pages_json import page_bytes
from extractor.errors import InvalidRequest
from extractor.page import Page
from extractor.request import PICTURES

Format = Literal[
    "html", "text", "markdown", "outline", "json", "links", "metadata", "screenshot", "pdf"
]  # fmt: skip

MEDIA_TYPES: Mapping[Format, str] = {
    "html": "text/html; charset=utf-8",
    "text": "text/plain; charset=utf-8",
    "markdown": "text/markdown; charset=utf-8",
    "outline": "text/plain; charset=utf-8",
    "json": "application/json",
    "links": "application/json",
    "metadata": "application/json",
    "screenshot": "image/png",
    "pdf": "application/pdf",
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


def page_contents() -> dict[str, dict[str, Any]]:
    """What an answer may hold, for OpenAPI: media type → schema."""
    texts = {MEDIA_TYPES[name].partition(";")[0] for name in ("html", "markdown", "text")}
    pictures = {MEDIA_TYPES["screenshot"], MEDIA_TYPES["pdf"]}
    schemas = "#/components/schemas/"
    links = {"type": "array", "items": {"$ref": f"{schemas}Link"}}
    return {
        "application/json": {
            "schema": {
                "anyOf": [{"$ref": f"{schemas}Page"}, links, {"type": "object"}],
                "description": "`json`: the whole result; `links`: a list; `metadata`: an object.",
            }
        },
        **{media: {"schema": {"type": "string"}} for media in sorted(texts)},
        **{media: {"schema": {"type": "string", "format": "binary"}} for media in sorted(pictures)},
    }


def page_response(page: Page, wanted: Format) -> Response:
    """``page`` in one form; sizes, snapshot and completeness stand in ``X-Pagefold-*`` headers.

    Raises:
        InvalidRequest: there is no such picture of the page.
    """
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
    if not page.stored:
        # Nothing answers there.
        del headers["X-Pagefold-Snapshot"], headers["Link"]
    return Response(_body(page, wanted), headers=headers, media_type=MEDIA_TYPES[wanted])


def _body(page: Page, wanted: Format) -> bytes:
    if wanted == "json":
        return page_bytes(page)
    if wanted == "links":
        return orjson.dumps(page.links)
    if wanted == "metadata":
        return orjson.dumps(page.metadata)
    if wanted in PICTURES:
        if wanted not in page.content:
            raise InvalidRequest(
                f"there is no {wanted} of this page: it is made by a browser, and only when the page "
                f"is read with format={wanted}",
                field="format",
            )
        return base64.b64decode(page.content[wanted])
    return page.content[wanted].encode()


def _quality(parameters: str) -> float:
    for parameter in parameters.split(";"):
        name, _, value = parameter.strip().partition("=")
        if name == "q":
            try:
                return float(value)
            except ValueError:
                return 0.0
    return 1.0
