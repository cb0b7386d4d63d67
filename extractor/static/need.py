"""What of a page only a browser can tell."""

from __future__ import annotations

import re

from extractor.encoding import decode
from extractor.sniff import kind_of

#: What can change what is visible, and how it shows in markup.
_SIGNS = (
    ("scripts", re.compile(r"<script\b|[\s\"'/]on[a-z]+\s*=|javascript:")),
    ("style sheets", re.compile(r"<style\b|\bstylesheet\b")),
    ("frames", re.compile(r"<i?frame\b|<frameset\b|<object\b|<embed\b")),
    ("a refresh", re.compile(r"http-equiv\s*=\s*[\"']?\s*refresh\b")),
)


def needs_browser(body: bytes, content_type: str) -> tuple[str, ...]:
    """What scripts, style sheets and the like a page has that could change what of it can be seen.

    Empty if markup alone tells. Errs towards a browser: a comment or a sentence that looks like a sign
    counts as one. Linear.
    """
    if kind_of(content_type, body[:1024], None) != "html":
        return ()
    text = decode(body, content_type).text.lower()
    return tuple(name for name, sign in _SIGNS if sign.search(text))
