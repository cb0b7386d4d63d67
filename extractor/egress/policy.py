"""Where the service may connect to. Pure: no lookup, no clock, no socket.

The rule for addresses is narrow on purpose. The standard library's ``is_global`` alone lets multicast,
NAT64, 6to4 and several reserved ranges through, and which ones depends on the Python patch release.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

from extractor.egress.hosts import Address, host_text, parse_host
from extractor.errors import BlockedAddress, InvalidUrl

_IPV4_REFUSED = (
    (IPv4Network("192.0.0.0/24"), "protocol assignments"),
    (IPv4Network("192.88.99.0/24"), "6to4 relay"),
)
_IPV6_UNICAST = IPv6Network("2000::/3")
_IPV6_REFUSED = (
    (IPv6Network("2001::/23"), "protocol assignments"),
    (IPv6Network("2001:db8::/32"), "documentation"),
    (IPv6Network("2002::/16"), "6to4"),
    (IPv6Network("3fff::/20"), "documentation"),
)
_DEFAULT_PORT = {"http": 80, "https": 443}
_URL = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://([^/\\?#]*)(.*)\Z", re.DOTALL)
_CONTROL = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")
#: What callers are told, whatever the reason: the exact one stays in the log.
BLOCKED = "The address may not be opened by this service."
#: For what a page request names or leads to.
BLOCKED_PAGE = f"{BLOCKED} Whoever runs it can let a host:port in by PAGEFOLD_ALLOW_HOSTS."


@dataclass(frozen=True, slots=True)
class Verdict:
    """``reason`` is for the operator's log; it is empty when allowed."""

    allowed: bool
    reason: str = ""


@dataclass(frozen=True, slots=True)
class EgressRules:
    """The operator's choices.

    Attributes:
        allow: exact (host, port) pairs that pass even when private; no wildcards.
        deny: hosts that never pass; one with a leading dot also covers every subdomain.
        ports: ports below 1024 that may be dialled.
        high_ports: whether ports above 1023 may be dialled.
    """

    allow: frozenset[tuple[str, int]] = frozenset()
    deny: frozenset[str] = frozenset()
    ports: frozenset[int] = frozenset({80, 443})
    high_ports: bool = True

    def allows_exactly(self, host: str, port: int) -> bool:
        return (host, port) in self.allow

    def denies(self, host: str) -> bool:
        labels = host.split(".")
        suffixes = (f".{'.'.join(labels[start:])}" for start in range(len(labels)))
        return host in self.deny or any(suffix in self.deny for suffix in suffixes)

    def port_is_open(self, port: int) -> bool:
        return port in self.ports or (self.high_ports and 1023 < port < 65536)


DEFAULT_RULES = EgressRules()


@dataclass(frozen=True, slots=True)
class ParsedTarget:
    """A URL that passed. ``url`` is rebuilt from the parts that were judged, so browser and policy agree."""

    url: str
    scheme: str
    host: str
    port: int


def judge_address(address: str | Address) -> Verdict:
    """Whether an address is public unicast. IPv4 inside mapped IPv6 is judged as IPv4.

    Raises:
        ValueError: the text is no address.
    """
    ip = ip_address(address) if isinstance(address, str) else address
    if isinstance(ip, IPv6Address):
        if ip.scope_id is not None:
            return Verdict(False, "scoped address")
        if ip.ipv4_mapped is None:
            return _judge_ipv6(ip)
        ip = ip.ipv4_mapped
    return _judge_ipv4(ip)


def judge_host(
    host: str, port: int, addresses: Sequence[str], rules: EgressRules = DEFAULT_RULES
) -> Verdict:
    """Whether a canonical host with these answers may be dialled; one bad answer refuses all of them."""
    early = judge_target(host, port, rules)
    if not early.allowed or rules.allows_exactly(host, port):
        return early
    if not addresses:
        return Verdict(False, "no address")
    for address in addresses:
        try:
            verdict = judge_address(address)
        except ValueError:
            return Verdict(False, "malformed answer")
        if not verdict.allowed:
            return verdict
    return Verdict(True)


def judge_target(host: str, port: int, rules: EgressRules = DEFAULT_RULES) -> Verdict:
    """What is known of a canonical host and port before any lookup."""
    if rules.denies(host):
        return Verdict(False, "denied host")
    if rules.allows_exactly(host, port):
        return Verdict(True)
    if not rules.port_is_open(port):
        return Verdict(False, f"port {port}")
    if host == "localhost" or host.endswith(".localhost"):
        # These names are loopback whatever a name server says (RFC 6761).
        return Verdict(False, "loopback name")
    literal = as_address(host)
    return Verdict(True) if literal is None else judge_address(literal)


def judge_url(url: str, rules: EgressRules = DEFAULT_RULES) -> ParsedTarget:
    """Check what can be known without a lookup, and rebuild the URL in canonical form.

    Raises:
        InvalidUrl: no http(s) URL, control characters, credentials, or a host no browser accepts.
        BlockedAddress: a host or port that the rules refuse.
    """
    text = url.strip(" ")
    if _CONTROL.search(text):
        raise InvalidUrl("The URL has control characters or lone surrogates.", field="url")
    match = _URL.match(text)
    if match is None or match[1].lower() not in _DEFAULT_PORT:
        raise InvalidUrl("The URL must start with http:// or https://.", field="url")
    scheme, authority, rest = match[1].lower(), match[2], match[3]
    if "@" in authority:
        raise InvalidUrl("The URL has credentials; send them as http_auth instead.", field="url")
    host, port = split_authority(authority, _DEFAULT_PORT[scheme])
    verdict = judge_target(host, port, rules)
    if not verdict.allowed:
        raise BlockedAddress(BLOCKED_PAGE, detail=f"{host}:{port}: {verdict.reason}", field="url")
    # Browsers read a backslash as a slash before the query of an http(s) URL.
    path, mark, tail = _split_path(rest)
    path = path.replace("\\", "/") or "/"
    suffix = "" if port == _DEFAULT_PORT[scheme] else f":{port}"
    shown = host_text(parse_host(_bracketed(host)))
    return ParsedTarget(f"{scheme}://{shown}{suffix}{path}{mark}{tail}", scheme, host, port)


def split_authority(authority: str, default_port: int | None) -> tuple[str, int]:
    """Canonical host (IPv6 without brackets) and port of ``host[:port]``.

    Raises:
        InvalidUrl: either part is malformed, or the port is missing and there is no default.
    """
    head, colon, digits = authority.rpartition(":")
    if not colon or authority.endswith("]"):
        head, digits = authority, ""
    port = default_port
    if digits:
        if not (digits.isascii() and digits.isdigit() and len(digits) <= 8):
            raise InvalidUrl("The port of the URL is no number.", field="url")
        port = int(digits)
    if port is None or not 0 < port < 65536:
        raise InvalidUrl("The port of the URL must be between 1 and 65535.", field="url")
    try:
        return str(parse_host(head)), port
    except ValueError as error:
        raise InvalidUrl("The host of the URL is malformed.", field="url") from error


def as_address(host: str) -> Address | None:
    """The address that a canonical host is, or ``None`` for a name."""
    try:
        return ip_address(host)
    except ValueError:
        return None


def _judge_ipv4(ip: IPv4Address) -> Verdict:
    if ip.is_multicast:
        return Verdict(False, "multicast")
    for network, name in _IPV4_REFUSED:
        if ip in network:
            return Verdict(False, name)
    return Verdict(True) if ip.is_global else Verdict(False, "not global")


def _judge_ipv6(ip: IPv6Address) -> Verdict:
    if ip not in _IPV6_UNICAST:
        return Verdict(False, "not global unicast")
    for network, name in _IPV6_REFUSED:
        if ip in network:
            return Verdict(False, name)
    return Verdict(True) if ip.is_global else Verdict(False, "not global")


def _split_path(rest: str) -> tuple[str, str, str]:
    cut = min((at for at in (rest.find("?"), rest.find("#")) if at >= 0), default=len(rest))
    return rest[:cut], rest[cut : cut + 1], rest[cut + 1 :]


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host
