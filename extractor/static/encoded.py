"""Addresses in the letters that browsers write them with.

Source: WHATWG URL, percent-encode sets of path, query and fragment; UTS 46 for hosts. The query is always
encoded as UTF-8, whatever the encoding of the page.
"""

from __future__ import annotations

import re
from urllib.parse import quote, urlsplit, urlunsplit

import idna

from extractor.nesting import clean_text

#: What no browser leaves as it is in every part of an address.
ODD = re.compile(r"[^\x21\x23-\x3b\x3d\x3f-\x5f\x61-\x7a\x7c\x7e]|'")
_SPECIAL = frozenset({"http", "https", "ftp", "ws", "wss"})
_PATH = "!$%&'()*+,/:;=@[]|^\\~"
_QUERY = "!$%&()*+,/:;=?@[]|^\\`{}~"
_FRAGMENT = "!#$%&'()*+,/:;=?@[]|^\\{}~"
_OPAQUE = "".join(map(chr, range(0x20, 0x7F)))


def encoded(url: str) -> str:
    """An absolute address with what is not allowed in each of its parts encoded; others as they are."""
    if ODD.search(url) is None:
        return url
    url = clean_text(url)
    try:
        parts = urlsplit(url)
    except ValueError:
        return url
    if parts.scheme not in _SPECIAL:
        return quote(url, safe=_OPAQUE)
    return urlunsplit(
        (
            parts.scheme,
            _host_encoded(parts.netloc),
            quote(parts.path, safe=_PATH),
            quote(parts.query, safe=_QUERY),
            quote(parts.fragment, safe=_FRAGMENT),
        )
    )


def encoded_fragment(fragment: str) -> str:
    """What follows ``#`` in an address."""
    return quote(clean_text(fragment), safe=_FRAGMENT) if ODD.search(fragment) else fragment


def _host_encoded(netloc: str) -> str:
    """``user@host:port`` with an international host as ASCII; as it is where that cannot be."""
    if netloc.isascii():
        return netloc
    user, at, place = netloc.rpartition("@")
    host, colon, port = place.partition(":")
    try:
        host = idna.encode(host, uts46=True).decode("ascii")
    except idna.IDNAError:
        return netloc
    return f"{quote(user, safe=_PATH)}{at}{host}{colon}{port}"
