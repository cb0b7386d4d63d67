"""Host names as browsers canonicalise them (WHATWG URL Standard, "host parsing").

A filter that reads ``0x7f.1`` as a name while the browser reads it as 127.0.0.1 is no filter, so the
text of a host is brought into the browser's form before anything is judged.
"""

from __future__ import annotations

import re
from ipaddress import AddressValueError, IPv4Address, IPv6Address
from urllib.parse import unquote_to_bytes

import idna

Address = IPv4Address | IPv6Address

_FORBIDDEN = re.compile(r"[\x00-\x20\x7f#/:<>?@\[\\\]^|%]")
_NUMBER = re.compile(r"(?:0[xX][0-9a-fA-F]*|[0-9]+)\Z")


def parse_host(text: str) -> str | Address:
    """The host that a browser would connect to: an address, or a lower-case ASCII name.

    Names lose one trailing dot. IPv4 may be written in decimal, hex, octal, with one to four parts,
    percent-encoded or in full-width digits.

    Raises:
        ValueError: a browser would refuse the host too.
    """
    if text.startswith("["):
        return _parse_ipv6(text)
    try:
        decoded = unquote_to_bytes(text.encode("utf-8")).decode("utf-8")
    except UnicodeError as error:
        raise ValueError("host is not valid UTF-8") from error
    name = _to_ascii(decoded)
    if not name or name == "." or _FORBIDDEN.search(name):
        raise ValueError("host is empty or has forbidden characters")
    name = name.removesuffix(".")
    if _NUMBER.match(name.rpartition(".")[2]):
        return _parse_ipv4(name)
    if any(not label or len(label) > 63 for label in name.split(".")) or len(name) > 253:
        raise ValueError("host has an empty or over-long label")
    return name


def host_text(host: str | Address) -> str:
    """The host as it stands in a URL: IPv6 in brackets."""
    return f"[{host}]" if isinstance(host, IPv6Address) else str(host)


def _parse_ipv6(text: str) -> IPv6Address:
    if not text.endswith("]") or "%" in text:
        raise ValueError("malformed IPv6 host")
    try:
        return IPv6Address(text[1:-1])
    except AddressValueError as error:
        raise ValueError("malformed IPv6 host") from error


def _to_ascii(name: str) -> str:
    if name.isascii():
        return name.lower()
    try:
        mapped = idna.uts46_remap(name, std3_rules=False, transitional=False)
        return ".".join(_label_to_ascii(label) for label in mapped.split("."))
    except (idna.IDNAError, UnicodeError) as error:
        raise ValueError("host is no valid international name") from error


def _label_to_ascii(label: str) -> str:
    if label.startswith("xn--"):
        return _checked_punycode(label)
    if label.isascii():
        return label.lower()
    try:
        return idna.alabel(label).decode("ascii")
    except idna.IDNAError:
        # Browsers accept symbols (emoji) that the stricter registration rules refuse.
        return "xn--" + label.encode("punycode").decode("ascii")


def _checked_punycode(label: str) -> str:
    # Only beside letters that are not ASCII: a name that is ASCII throughout is not looked into.
    if label.isascii():
        decoded = label[4:].encode("ascii").decode("punycode")
        mapped = idna.uts46_remap(decoded, std3_rules=False, transitional=False)
        if not decoded.isascii() and mapped == decoded:
            return label
    raise ValueError("host has a malformed international label")


def _parse_ipv4(name: str) -> IPv4Address:
    parts = name.split(".")
    if len(parts) > 4:
        raise ValueError("IPv4 host has more than four parts")
    numbers = [_parse_number(part) for part in parts]
    *high, last = numbers
    if any(number > 255 for number in high) or last >= 256 ** (5 - len(numbers)):
        raise ValueError("IPv4 host is out of range")
    value = last + sum(number << (8 * (3 - index)) for index, number in enumerate(high))
    return IPv4Address(value)


def _parse_number(part: str) -> int:
    # Sixteen digits hold every valid number in any base; more would only cost time to convert.
    if not _NUMBER.match(part) or len(part.lstrip("0xX")) > 16:
        raise ValueError("IPv4 host has a part that is no number in range")
    if part[:2] in ("0x", "0X"):
        return int(part[2:] or "0", 16)
    if len(part) > 1 and part[0] == "0":
        return int(part, 8)
    return int(part)
