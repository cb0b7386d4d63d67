"""What an answer is, by its header and first bytes; never by the ending of its address."""

from __future__ import annotations

import re
from typing import Literal

Kind = Literal["html", "pdf", "json", "xml", "text", "csv", "image", "download", "binary"]

_IMAGES = (b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"\x00\x00\x01\x00")
#: WHATWG MIME Sniffing, "identifying a resource with an unknown MIME type"; and two more that begin a head.
_HTML_START = re.compile(
    rb"<(?:!doctype html|html|head|script|iframe|h1|div|font|table|a|style|title|b|body|br|p|meta|link)"
    rb"[\s/>]|<!--",
    re.I,
)
_BINARY = frozenset(range(0x20)) - {0x09, 0x0A, 0x0C, 0x0D, 0x1B}


def media_type(content_type: str | None) -> str:
    """The media type of a ``Content-Type`` header in small letters, without parameters."""
    return (content_type or "text/html").split(";")[0].strip().lower()


def kind_of(content_type: str | None, first: bytes, disposition: str | None = None) -> Kind:
    """The kind of an answer. ``first`` holds its first bytes (1,024 are plenty)."""
    if disposition and disposition.strip().lower().startswith("attachment"):
        return "download"
    start = first.lstrip(b"\xef\xbb\xbf \t\r\n\f")
    if start.startswith(b"%PDF-"):
        return "pdf"
    if start.startswith(_IMAGES) or start[:4] == b"RIFF" and start[8:12] == b"WEBP":
        return "image"
    media = (content_type or "").split(";")[0].strip().lower()
    if media in ("text/html", "application/xhtml+xml"):
        return "html"
    if media.startswith("image/"):
        return "xml" if media == "image/svg+xml" else "image"
    if media == "application/pdf":
        return "binary"
    if media == "application/json" or media.endswith("+json"):
        return "json"
    if media in ("text/xml", "application/xml") or media.endswith("+xml"):
        return "xml"
    if media == "text/csv":
        return "csv"
    if media.startswith("text/") or media in ("application/javascript", "application/x-ndjson"):
        return "text"
    if media and media != "application/octet-stream":
        return "binary"
    if _HTML_START.match(start):
        return "html"
    wide = first.startswith((b"\xff\xfe", b"\xfe\xff"))
    if not wide and any(byte in _BINARY for byte in first):
        return "binary"
    return "binary" if media else "text"
