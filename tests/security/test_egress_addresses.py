"""Addresses in every disguise, against a table of reserved ranges that others keep."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_network

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ssrfguard import Policy

from extractor.egress.hosts import Address
from extractor.egress.policy import judge_address, judge_url
from extractor.errors import BlockedAddress, InvalidUrl
from testbed.hostile.forms import dotted, spellings

ORACLE = Policy()

#: IANA's special-purpose registries and the transition forms, from their RFCs.
SPECIAL = """
0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24
192.31.196.0/24 192.52.193.0/24 192.88.99.0/24 192.168.0.0/16 192.175.48.0/24 198.18.0.0/15
198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4
::/96 ::ffff:0:0/96 ::ffff:0:0:0/96 64:ff9b::/96 64:ff9b:1::/48 100::/64 100:0:0:1::/64 2001::/23
2001::/32 2001:1::1/128 2001:2::/48 2001:3::/32 2001:4:112::/48 2001:10::/28 2001:20::/28 2001:30::/28
2001:db8::/32 2002::/16 2620:4f:8000::/48 3fff::/20 5f00::/16 fc00::/7 fe80::/10 fec0::/10 ff00::/8
""".split()

#: Public by the registry, refused here: nothing that is a web site for strangers lives there.
NARROWER = tuple(
    IPv6Network(text) for text in ("2001::/23", "2002::/16", "::ffff:0:0/96", "64:ff9b::/96")
)

_ipv4 = st.integers(0, 2**32 - 1).map(IPv4Address)
_ipv6 = st.integers(0, 2**128 - 1).map(IPv6Address)
_unicast = st.integers(1 << 125, (2 << 125) - 1).map(IPv6Address)


@st.composite
def _near_a_boundary(draw: st.DrawFn) -> Address:
    network = ip_network(draw(st.sampled_from(SPECIAL)))
    edge = draw(st.sampled_from([int(network[0]), int(network[-1])]))
    value = edge + draw(st.integers(-2, 2))
    kind = IPv4Address if network.version == 4 else IPv6Address
    return kind(max(0, min(value, 2**network.max_prefixlen - 1)))


@st.composite
def _wrapped(draw: st.DrawFn) -> Address:
    prefix = draw(st.sampled_from(["::", "::ffff:0:0", "::ffff:0:0:0", "64:ff9b::", "64:ff9b:1::"]))
    inner = draw(_ipv4 | st.sampled_from(["127.0.0.1", "10.0.0.1", "169.254.169.254"]))
    return IPv6Address(int(IPv6Address(prefix)) + int(IPv4Address(inner)))


@given(_ipv4 | _ipv6 | _unicast | _near_a_boundary() | _wrapped())
@settings(max_examples=2000, deadline=None)
def test_nothing_is_allowed_that_the_registries_deny(address: Address) -> None:
    if judge_address(address).allowed:
        assert ORACLE.permits_address(address)


@given(_ipv4 | _unicast | _near_a_boundary())
@settings(max_examples=1000, deadline=None)
def test_public_unicast_outside_the_named_ranges_is_allowed(address: Address) -> None:
    ordinary = isinstance(address, IPv4Address) or address in IPv6Network("2000::/3")
    named = isinstance(address, IPv6Address) and any(address in each for each in NARROWER)
    relay = isinstance(address, IPv4Address) and address in ip_network("192.0.0.0/24")
    if ordinary and not named and not relay and ORACLE.permits_address(address):
        assert judge_address(address).allowed


@pytest.mark.parametrize("text", SPECIAL)
def test_both_ends_of_every_special_range_agree_with_the_registries(text: str) -> None:
    network = ip_network(text)
    for address in (network[0], network[-1]):
        assert ORACLE.permits_address(address) or not judge_address(address).allowed


@pytest.mark.parametrize("address", ["127.0.0.1", "10.1.2.3", "169.254.169.254", "100.100.100.200"])
def test_no_spelling_of_a_private_address_passes(address: str) -> None:
    for host in spellings(address):
        for url in (f"http://{host}/", f"https://{host}:8443/x"):
            with pytest.raises((BlockedAddress, InvalidUrl)):
                judge_url(url)


def test_the_same_spellings_of_a_public_address_are_read_and_not_just_refused() -> None:
    passed = {judge_url(f"http://{host}/").host for host in dotted("93.184.215.14")}
    assert passed == {"93.184.215.14"}
