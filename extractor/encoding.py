"""Bytes to text, in the order that browsers use.

Source: WHATWG HTML, "Determining the character encoding", and the WHATWG Encoding standard's labels.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

_META = re.compile(rb"<meta[^>]+charset\s*=\s*[\"']?\s*([a-zA-Z0-9_:.-]+)", re.I)
_HEADER = re.compile(r"charset\s*=\s*[\"']?\s*([a-zA-Z0-9_:.-]+)", re.I)
_PRESCAN_BYTES = 1024
_BOMS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xfe\xff", "utf-16-be"), (b"\xff\xfe", "utf-16-le"))
#: Labels whose meaning on the web differs from Python's.
_WEB = {
    "iso-8859-1": "cp1252", "iso8859-1": "cp1252", "latin1": "cp1252", "latin-1": "cp1252", "l1": "cp1252",
    "ascii": "cp1252", "us-ascii": "cp1252", "windows-1252": "cp1252", "iso-8859-9": "cp1254",
    "latin5": "cp1254", "gb2312": "gb18030", "gbk": "gb18030", "gb_2312-80": "gb18030", "chinese": "gb18030",
    "x-gbk": "gb18030", "shift_jis": "cp932", "shift-jis": "cp932", "sjis": "cp932", "x-sjis": "cp932",
    "windows-31j": "cp932", "ms_kanji": "cp932", "euc-kr": "cp949", "ks_c_5601-1987": "cp949",
    "korean": "cp949", "big5": "big5hkscs", "x-x-big5": "big5hkscs", "tis-620": "cp874",
    "iso-8859-11": "cp874", "windows-874": "cp874", "x-user-defined": "cp1252", "utf8": "utf-8",
    "unicode-1-1-utf-8": "utf-8", "x-mac-roman": "mac_roman", "macintosh": "mac_roman",
}  # fmt: skip
_NAMES = {
    "cp1252": "windows-1252",
    "cp1254": "windows-1254",
    "cp932": "shift_jis",
    "cp949": "euc-kr",
}
#: The same by Python's own name, for spellings of a label that only Python normalises.
_WIDER = {
    "iso8859-1": "cp1252", "ascii": "cp1252", "iso8859-9": "cp1254", "gb2312": "gb18030",
    "gbk": "gb18030", "shift_jis": "cp932", "euc_kr": "cp949", "big5": "big5hkscs",
    "tis-620": "cp874", "iso8859-11": "cp874", "utf-16": "utf-16-le",
}  # fmt: skip
#: All that browsers decode. A page names its encoding itself: codecs that only Python has
#: (``rot13``, ``unicode_escape``, ``idna``, …) must not be reached by it.
_CODECS = frozenset(
    "utf-8 utf-16-le utf-16-be gb18030 big5hkscs euc_jp iso2022_jp cp932 cp949 cp866 cp874 cp1250 cp1251 "
    "cp1252 cp1253 cp1254 cp1255 cp1256 cp1257 cp1258 koi8-r koi8-u mac-roman mac-cyrillic iso8859-2 "
    "iso8859-3 iso8859-4 iso8859-5 iso8859-6 iso8859-7 iso8859-8 iso8859-10 iso8859-13 iso8859-14 "
    "iso8859-15 iso8859-16".split()
)
_C1 = {byte: chr(byte) for byte in (0x81, 0x8D, 0x8F, 0x90, 0x9D)}


@dataclass(frozen=True, slots=True)
class Decoded:
    """Text, the encoding's web name, where it was named, and how many bytes made no sense."""

    text: str
    charset: str
    source: str
    replaced: int = 0


def codec_of(label: str) -> str | None:
    """Python's codec for a web label, or ``None`` for a label that no browser knows."""
    name = label.strip().lower()
    name = _WEB.get(name, name)
    try:
        name = codecs.lookup(name).name
    except (LookupError, ValueError):
        return None
    name = _WIDER.get(name, name)
    return name if name in _CODECS else None


def decode(body: bytes, content_type: str | None) -> Decoded:
    """Byte order mark, then header, then ``meta`` in the first 1,024 bytes, then UTF-8 if the bytes are
    that, else windows-1252. Bytes that make no sense become U+FFFD and are counted."""
    for mark, codec in _BOMS:
        if body.startswith(mark):
            return _decoded(body[len(mark) :], codec, "bom")
    header = _HEADER.search(content_type or "")
    if header is not None:
        named = codec_of(header[1])
        if named is not None:
            return _decoded(body, named, "header")
    meta = _META.search(body[:_PRESCAN_BYTES])
    if meta is not None:
        named = codec_of(meta[1].decode("ascii", "replace"))
        if named is not None:
            return _decoded(body, "utf-8" if named.startswith("utf-16") else named, "meta")
    try:
        return Decoded(body.decode("utf-8"), "utf-8", "bytes")
    except UnicodeDecodeError:
        return _decoded(body, "cp1252", "default")


def _decoded(body: bytes, codec: str, source: str) -> Decoded:
    if codec == "cp1252":
        text = body.decode("latin-1")
        if any(0x80 <= ord(char) < 0xA0 for char in set(text)):
            text = "".join(_C1.get(b) or bytes([b]).decode("cp1252") for b in body)
        return Decoded(text, "windows-1252", source)
    text = body.decode(codec, "replace")
    return Decoded(text, _NAMES.get(codec, codec), source, text.count("\ufffd"))
