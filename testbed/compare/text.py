"""Plain text of what a filter puts out, the same way for every filter.

Markup is read by lxml, which none of the compared filters is built to please; block elements stand
on lines of their own. Markdown loses its marks and keeps its words.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

import lxml.etree
import lxml.html

_BLOCKS = frozenset(
    "address article aside blockquote body br button caption center dd details dialog dir div dl dt "
    "fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 head header hr html iframe legend li "
    "main menu nav noscript ol option p pre section select summary table tbody td textarea tfoot th "
    "thead title tr ul".split()
)
_UNREAD = frozenset("script style template noscript head svg".split())
_SPACES = re.compile(r"[ \t\r\f\v]+")
_BLANK_LINES = re.compile(r"\n\s*\n+")

_FENCE = re.compile(r"```[^\n]*\n|```")
_TARGET = r"\((?:[^()\\]|\\.|\([^()]*\))*\)"
_IMAGE = re.compile(r"!\[[^\]]*\]" + _TARGET)
_LINK = re.compile(r"\[((?:[^\[\]\\]|\\.)*)\]" + _TARGET)
_FOOTNOTE = re.compile(r"\[\^[^\]]+\]:?")
_LINE_MARK = re.compile(r"(?m)^\s{0,3}(#{1,6}\s+|>\s?|[-*+]\s+|\|?\s*:?-{2,}.*$)")
_ESCAPE = re.compile(r"\\([\\`*_{}\[\]()#+\-.!|>~$])")
_EMPHASIS = re.compile(r"[*_`~|]+")


def html_to_text(markup: str) -> str:
    """The text of a fragment or document; scripts, styles, templates and the head have none."""
    if not markup.strip():
        return ""
    whole = "<html" in markup[:2_000].lower()
    try:
        root = lxml.html.fromstring(markup if whole else f"<div>{markup}</div>")
    except (lxml.etree.LxmlError, ValueError):
        # Not markup by any reading: what remains without its tags is still text.
        return html.unescape(re.sub(r"<[^>]*>", " ", markup))
    lines = _SPACES.sub(" ", "".join(_pieces(root)))
    return _BLANK_LINES.sub("\n\n", lines).strip()


def markdown_to_text(markdown: str) -> str:
    """The words of Markdown, without addresses, fences and emphasis."""
    text = _IMAGE.sub(" ", _FENCE.sub("\n", markdown))
    # Twice: a link may hold an image that has just become one.
    text = _LINK.sub(r"\1", _LINK.sub(r"\1", text))
    text = _LINE_MARK.sub("", _FOOTNOTE.sub("", text))
    return html.unescape(_EMPHASIS.sub(" ", _ESCAPE.sub(r"\1", text)))


def _pieces(root: lxml.html.HtmlElement) -> Iterator[str]:
    # A stack of its own: pages nest deeper than Python's recursion goes.
    todo: list[lxml.html.HtmlElement | str] = [root]
    while todo:
        element = todo.pop()
        if isinstance(element, str):
            yield element
            continue
        tag = element.tag if isinstance(element.tag, str) else None
        if tag is None or tag in _UNREAD:
            continue
        edge = "\n" if tag in _BLOCKS else ""
        inside: list[lxml.html.HtmlElement | str] = [edge, element.text or ""]
        for child in element:
            inside += [child, child.tail or ""]
        todo += [edge, *reversed(inside)]
