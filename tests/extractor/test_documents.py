"""What is not HTML becomes a document of the same text, or says why it cannot."""

from __future__ import annotations

import pytest
from selectolax.lexbor import LexborHTMLParser

from extractor.documents import document_of
from extractor.errors import UnsupportedMedia

_PDF = (
    b"%PDF-1.4\n"
    b"1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n"
    b"2 0 obj\n<< /Type /Pages /Kids [3 0 R] /Count 1 >>\nendobj\n"
    b"3 0 obj\n<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] /Contents 4 0 R"
    b" /Resources << /Font << /F1 5 0 R >> >> >>\nendobj\n"
    b"4 0 obj\n<< /Length 35 >>\nstream\nBT /F1 12 Tf 9 9 Td (Low water) Tj ET\nendstream\nendobj\n"
    b"5 0 obj\n<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>\nendobj\n"
    b"trailer << /Size 6 /Root 1 0 R >>\nstartxref\n0\n%%EOF\n"
)


def csv_page(text: str) -> LexborHTMLParser:
    return LexborHTMLParser(
        document_of("csv", text.encode(), text, "https://example.org/tides.csv", "text/csv")
    )


def cells(text: str) -> list[list[str]]:
    return [[cell.text() for cell in row.css("th, td")] for row in csv_page(text).css("table tr")]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_of_a_table_may_end_in_any_way(end: str) -> None:
    assert cells(end.join(["at,low", "6:12,0.4", '18:40,"0.6, about"', ""])) == [
        ["at", "low"],
        ["6:12", "0.4"],
        ["18:40", "0.6, about"],
    ]


def test_lines_of_a_table_may_end_in_several_ways() -> None:
    assert cells("at,low\r6:12,0.4\n18:40,0.6") == [
        ["at", "low"],
        ["6:12", "0.4"],
        ["18:40", "0.6"],
    ]


def test_a_table_that_cannot_be_read_as_one_stays_as_text() -> None:
    text = f'at,note\n6:12,"{"low & <b>slack</b> " * 9_000}"\n'
    page = csv_page(text)
    assert not page.css("table")
    assert page.css_first("main pre").text() == text


def test_text_of_a_pdf() -> None:
    page = document_of("pdf", _PDF, "", "https://example.org/tides.pdf", "application/pdf")
    assert LexborHTMLParser(page).css_first("main p").text() == "Low water"


@pytest.mark.parametrize(
    ("sound", "damaged"),
    [
        (b"/Length 35", b"/Length 35 /Filter /FlateDecoda"),
        (b"/Kids [3 0 R]", b"/Kids 3"),
        (b"/Font << /F1 5 0 R >>", b"/Font 12"),
        (b"/Resources <<", b"/Resources 7 <<"),
        (b"/Root 1 0 R", b"/Root 9 0 R"),
        (b"/Type /Catalog", b"/Type /Catalog /Pages [[[["),
        (b"%PDF-1.4", b"nothing"),
    ],
)
def test_a_damaged_pdf_is_read_or_refused(sound: bytes, damaged: bytes) -> None:
    body = _PDF.replace(sound, damaged, 1)
    assert body != _PDF
    try:
        page = document_of("pdf", body, "", "https://example.org/tides.pdf", "application/pdf")
    except UnsupportedMedia:
        return
    assert "<section><h2>Page 1</h2>" in page or "<main></main>" in page
