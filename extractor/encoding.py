"""Bytes to text, in the order that browsers use.

Source: WHATWG HTML, "Determining the character encoding", and WHATWG Encoding.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from extractor.encoding_labels import CODECS, REPLACEMENT, USER_DEFINED, encoding_named

_META = re.compile(rb"<meta[^>]+charset\s*=\s*[\"']?\s*([a-zA-Z0-9_:.-]+)", re.I)
_XML = re.compile(rb"<\?xml\s[^>]*encoding\s*=\s*[\"']\s*([a-zA-Z0-9_:.-]+)")
_HEADER = re.compile(r"charset\s*=\s*[\"']?\s*([a-zA-Z0-9_:.-]+)", re.I)
_COMMENT = re.compile(rb"<!--.*?(?:-->|\Z)", re.S)
_PRESCAN_BYTES = 1024
_BOMS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xfe\xff", "utf-16be"), (b"\xff\xfe", "utf-16le"))
_C1 = {byte: chr(byte) for byte in (0x81, 0x8D, 0x8F, 0x90, 0x9D)}
#: Bytes over 0x7F of ``x-user-defined`` are private-use characters.
_USER_DEFINED = {byte: 0xF700 + byte for byte in range(0x80, 0x100)}


@dataclass(frozen=True, slots=True)
class Decoded:
    """Text, the encoding's web name, where it was named, and how many bytes made no sense."""

    text: str
    charset: str
    source: str
    replaced: int = 0


def decode(body: bytes, content_type: str | None) -> Decoded:
    """Byte order mark, then header, then ``meta`` in the first 1,024 bytes, then UTF-8 if the bytes are
    that, else windows-1252. Bytes that make no sense become U+FFFD and are counted."""
    for mark, encoding in _BOMS:
        if body.startswith(mark):
            return _decoded(body[len(mark) :], encoding, "bom")
    header = _HEADER.search(content_type or "")
    named = encoding_named(header[1]) if header is not None else None
    if named is not None:
        return _decoded(body, named, "header")
    named = _named_inside(body[:_PRESCAN_BYTES])
    if named is not None:
        return _decoded(body, named, "meta")
    try:
        return Decoded(body.decode("utf-8"), "utf-8", "bytes")
    except UnicodeDecodeError:
        return _decoded(body, "windows-1252", "default")


def _named_inside(start: bytes) -> str | None:
    """What the document says of itself. It was read as ASCII so far, so UTF-16 cannot be true."""
    found = _XML.match(start) or _META.search(_COMMENT.sub(b"", start))
    named = encoding_named(found[1].decode("ascii")) if found is not None else None
    if named in ("utf-16le", "utf-16be"):
        return "utf-8"
    return "windows-1252" if named == USER_DEFINED else named


def _decoded(body: bytes, encoding: str, source: str) -> Decoded:
    if encoding == REPLACEMENT:
        return Decoded("\ufffd" if body else "", encoding, source, min(len(body), 1))
    if encoding == USER_DEFINED:
        return Decoded(body.decode("latin-1").translate(_USER_DEFINED), encoding, source)
    if encoding == "windows-1252":
        text = body.decode("latin-1")
        if any(0x80 <= ord(char) < 0xA0 for char in set(text)):
            text = "".join(_C1.get(b) or bytes([b]).decode("cp1252") for b in body)
        return Decoded(text, encoding, source)
    text = body.decode(CODECS[encoding], "replace")
    return Decoded(text, encoding, source, text.count("\ufffd"))
