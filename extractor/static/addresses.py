"""Addresses as the page's base resolves them.

Source: WHATWG URL (white space, tabs and line feeds), HTML ``base``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import urljoin, urlsplit

from extractor.static.encoded import ODD, encoded, encoded_fragment
from extractor.tree import Tree

_OPAQUE = re.compile(r"(?:mailto|tel|sms|data|blob|about|geo|callto|skype|whatsapp):", re.I)
_SCRIPT = re.compile(r"[\x00-\x20]*(?:j\s*a\s*v\s*a|v\s*b)\s*s\s*c\s*r\s*i\s*p\s*t\s*:", re.I)
#: What makes resolving more than joining: white space, dots as steps, back slashes, what must be encoded.
_UNUSUAL = re.compile(rf"\\|/\.|{ODD.pattern}")
_LONG_DATA = 256


@dataclass(frozen=True, slots=True)
class Base:
    """The address that others are relative to, with the parts of it that most need."""

    url: str
    origin: str
    scheme: str
    page: str

    @classmethod
    def of(cls, tree: Tree, url: str) -> Base:
        """The base of a document: its first ``base href``, or its own address."""
        if "base" in tree.tag:
            for node, tag in enumerate(tree.tag):
                href = (tree.attrs[node] or {}).get("href", "") if tag == "base" else ""
                if href:
                    return cls.at(_joined(url, href.strip()) or url)
        return cls.at(url)

    @classmethod
    def at(cls, url: str) -> Base:
        """The base ``url``."""
        try:
            parts = urlsplit(url)
        except ValueError:
            return cls(url, "", "", url)
        origin = f"{parts.scheme}://{parts.netloc}" if parts.netloc else ""
        return cls(url, origin, parts.scheme, url.partition("#")[0])

    def absolute(self, address: str) -> str:
        """What a browser would give for ``address``; empty for a script, or what cannot be resolved."""
        address = address.strip()
        if address.startswith(("https://", "http://")):
            if not _UNUSUAL.search(address, 8):
                return address
        elif not address or _SCRIPT.match(address):
            return ""
        elif address[0] == "#":
            return f"{self.page}#{encoded_fragment(address[1:])}"
        elif _OPAQUE.match(address):
            return _short(address)
        elif self.origin and address[0] == "/" and not _UNUSUAL.search(address):
            return (
                self.scheme + ":" + address if address.startswith("//") else self.origin + address
            )
        return _joined(self.url, re.sub(r"[\t\n\r]", "", address))


@lru_cache(maxsize=8_192)
def _joined(base: str, address: str) -> str:
    try:
        return encoded(urljoin(base, address.replace("\\", "/")))
    except ValueError:
        return ""


def _short(address: str) -> str:
    """A long ``data:`` address as its type and size."""
    if len(address) < _LONG_DATA or address[:5].lower() != "data:":
        return encoded(address)
    kind = re.split("[;,]", address[:200], maxsplit=1)[0]
    return f"{kind};size={len(address)},"
