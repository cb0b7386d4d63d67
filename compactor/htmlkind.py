"""Whether a text is HTML, and the one line that can stand for it."""

from __future__ import annotations

import html

import regex

_START = regex.compile(
    r"\s*+(?:<!--.{0,2000}?-->\s*+){0,3}(?:<!doctype\s+html|<(?:html|head|body|main|article|table|div)[\s>])",
    regex.IGNORECASE | regex.DOTALL,
)
_TITLE = regex.compile(r"<title[^>]{0,200}>([^<]{0,400})", regex.IGNORECASE)
_TITLE_CHARS = 120


def looks_like_html(text: str) -> bool:
    """By its first bytes. A text that merely mentions tags is not HTML."""
    return _START.match(text, 0, 8_192) is not None


def stand_in(text: str, ref: str) -> str:
    """Title, size and ref: what enters the context when a document cannot be folded."""
    found = _TITLE.search(text, 0, 65_536)
    title = " ".join(html.unescape(found.group(1)).split())[:_TITLE_CHARS] if found else ""
    return f"[HTML document {title!r}, {len(text):,} characters, ref={ref}]"
