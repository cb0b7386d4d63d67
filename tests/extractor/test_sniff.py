"""The kind of an answer comes from its header and first bytes."""

from __future__ import annotations

import pytest

from extractor.sniff import kind_of


@pytest.mark.parametrize(
    ("content_type", "first", "kind"),
    [
        ("text/html", b"<p>x", "html"),
        ("text/html; charset=utf-8", b"%PDF-1.7\n", "pdf"),
        ("application/pdf", b"%PDF-1.4", "pdf"),
        ("application/json", b"{}", "json"),
        ("application/ld+json", b"{}", "json"),
        ("application/atom+xml", b"<feed/>", "xml"),
        ("application/xhtml+xml", b"<?xml version='1.0'?><html/>", "html"),
        ("text/csv", b"a,b", "csv"),
        ("text/plain", b"a <b>b</b>", "text"),
        ("image/png", b"\x89PNG\r\n", "image"),
        ("application/zip", b"PK\x03\x04", "binary"),
        (None, b"<!DOCTYPE html><p>x", "html"),
        (None, b"just words", "text"),
        (None, b"\x00\x01\x02\x03", "binary"),
    ],
)
def test_kind_by_header_and_first_bytes(content_type: str | None, first: bytes, kind: str) -> None:
    assert kind_of(content_type, first) == kind


def test_attachment_is_a_download_whatever_its_type() -> None:
    assert kind_of("text/html", b"<p>x", "attachment; filename=x.html") == "download"


def test_inline_disposition_changes_nothing() -> None:
    assert kind_of("text/html", b"<p>x", "inline; filename=x.html") == "html"


def test_html_that_starts_with_the_letters_of_a_bitmap_is_html() -> None:
    assert kind_of("text/html", b"BMW dealers <p>and more") == "html"
    assert kind_of("text/plain", b"BMW dealers") == "text"
