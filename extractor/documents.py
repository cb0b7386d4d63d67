"""What is not HTML, as a plain HTML document."""

from __future__ import annotations

import csv
import io
from html import escape

from pypdf import PdfReader

from extractor.errors import DownloadError, UnsupportedMedia
from extractor.sniff import Kind


def document_of(kind: Kind, body: bytes, text: str, url: str, content_type: str | None) -> str:
    """Markup that holds the content of a PDF, JSON, XML, CSV, text or image answer.

    Raises:
        DownloadError: the server sent it as a file to be saved.
        UnsupportedMedia: it cannot be read as text.
    """
    name = escape(url.split("?")[0].rstrip("/").rpartition("/")[2] or url)
    if kind == "download":
        raise DownloadError("the server offers this address as a file to download")
    if kind == "binary":
        raise UnsupportedMedia(f"{content_type or 'unknown content'} is not a page")
    if kind == "pdf":
        return _page(name, _pdf(body))
    if kind == "csv":
        return _page(name, _table(text))
    if kind == "image":
        media = escape(content_type or "image")
        return _page(
            name, f'<p><img alt="{name}" src="{escape(url)}"> {media}, {len(body)} bytes</p>'
        )
    return _page(name, _text(text))


def _text(text: str) -> str:
    return f"<pre>\n{escape(text)}</pre>"


def _page(title: str, content: str) -> str:
    return f"<!DOCTYPE html><title>{title}</title><main>{content}</main>"


def _pdf(body: bytes) -> str:
    try:
        pages = [page.extract_text() for page in PdfReader(io.BytesIO(body)).pages]
    except Exception as error:  # the library fails in its own ways over damaged files, each its own
        raise UnsupportedMedia("the PDF cannot be read", detail=repr(error)) from error
    parts = []
    for number, text in enumerate(pages, 1):
        paragraphs = "".join(f"<p>{escape(line)}</p>" for line in text.splitlines() if line.strip())
        parts.append(f"<section><h2>Page {number}</h2>{paragraphs}</section>")
    return "".join(parts)


def _table(text: str) -> str:
    try:
        rows = list(csv.reader(io.StringIO(text, newline=None)))
    except csv.Error:  # a cell of over 131,072 characters, among others
        return _text(text)
    if not rows:
        return "<p></p>"
    head = "".join(f"<th>{escape(cell)}</th>" for cell in rows[0])
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows[1:]
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
