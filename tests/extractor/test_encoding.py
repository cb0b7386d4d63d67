"""The encoding that a browser would choose, and the text that it would show."""

from __future__ import annotations

import pytest

from extractor.encoding import decode

SENTENCE = "港の台帳 ink"


def test_meta_names_the_encoding_when_the_header_does_not() -> None:
    body = "<meta charset=gbk><p>青墨水".encode("gbk")
    decoded = decode(body, "text/html")
    assert decoded.text.endswith("青墨水")
    assert (decoded.charset, decoded.source) == ("gbk", "meta")


def test_header_wins_over_meta() -> None:
    decoded = decode("<meta charset=gbk>é".encode(), "text/html; charset=utf-8")
    assert decoded.text.endswith("é")
    assert decoded.source == "header"


def test_byte_order_mark_wins_over_everything_and_is_no_text() -> None:
    decoded = decode(b"\xef\xbb\xbf<meta charset=gbk>\xc3\xa9", "text/html; charset=iso-8859-1")
    assert decoded.text == "<meta charset=gbk>é"
    assert (decoded.charset, decoded.source) == ("utf-8", "bom")


def test_latin_1_means_windows_1252() -> None:
    decoded = decode(b"\x93ink\x94", "text/html; charset=iso-8859-1")
    assert decoded.text == "“ink”"
    assert decoded.charset == "windows-1252"


def test_undefined_windows_1252_bytes_become_c1_controls() -> None:
    decoded = decode(b"\x81\x8d\x8f\x90\x9d\x80", "text/html; charset=windows-1252")
    assert decoded.text == "\x81\x8d\x8f\x90\x9d€"


def test_shift_jis_by_header_alone() -> None:
    assert decode(SENTENCE.encode("cp932"), "text/html; charset=Shift_JIS").text == SENTENCE


@pytest.mark.parametrize(
    ("mark", "codec"), [(b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be")]
)
def test_utf_16_with_a_mark(mark: bytes, codec: str) -> None:
    assert decode(mark + SENTENCE.encode(codec), "text/html").text == SENTENCE


def test_utf_16_in_meta_means_utf_8() -> None:
    assert decode("<meta charset=utf-16>é".encode(), None).text.endswith("é")


def test_meta_after_the_first_1024_bytes_is_not_looked_for() -> None:
    body = b" " * 1024 + b"<meta charset=gbk>" + "é".encode()
    assert decode(body, None).source == "bytes"


def test_unknown_label_is_passed_over() -> None:
    assert decode("é".encode(), "text/html; charset=no-such-thing").text == "é"


@pytest.mark.parametrize("label", ["rot13", "hex", "base64", "unicode_escape", "idna", "punycode"])
def test_labels_that_only_python_knows_are_passed_over(label: str) -> None:
    assert decode(b"plain", f"text/html; charset={label}").text == "plain"
    assert decode(b"\\u0041", f"text/html; charset={label}").text == "\\u0041"


def test_bytes_that_make_no_sense_are_replaced_and_counted() -> None:
    decoded = decode(b"a\xffb", "text/html; charset=utf-8")
    assert (decoded.text, decoded.replaced) == ("a\ufffdb", 1)


def test_no_name_and_no_utf_8_is_windows_1252() -> None:
    assert decode(b"caf\xe9", None).text == "café"


def test_what_a_comment_says_names_no_encoding() -> None:
    body = "<!-- <meta charset=gbk> --><p>é".encode()
    assert decode(body, "text/html").source == "bytes"


def test_an_xml_declaration_names_the_encoding() -> None:
    body = "<?xml version='1.0' encoding='koi8-r'?><p>Причал".encode("koi8-r")
    assert decode(body, "application/xml").text.endswith("Причал")


@pytest.mark.parametrize("label", ["hz-gb-2312", "iso-2022-kr", "iso-2022-cn", "replacement"])
def test_encodings_that_browsers_gave_up_hide_nothing(label: str) -> None:
    decoded = decode(b"~{<script>~}", f"text/html; charset={label}")
    assert (decoded.text, decoded.charset, decoded.replaced) == ("\ufffd", "replacement", 1)


def test_user_defined_bytes_are_private_characters_by_header_and_windows_1252_by_meta() -> None:
    assert decode(b"\xbc", "text/html; charset=x-user-defined").text == "\uf7bc"
    assert decode(b"<meta charset=x-user-defined>\xbc", None).text.endswith("¼")
