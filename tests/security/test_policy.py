"""The address rule with the neighbours of every boundary, and URLs as browsers read them."""

from __future__ import annotations

import pytest

from extractor.egress.policy import (
    EgressRules,
    judge_address,
    judge_host,
    judge_url,
)
from extractor.errors import BlockedAddress, InvalidUrl

PUBLIC = """
1.0.0.0 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0
169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0 192.0.1.0 192.0.3.0 192.88.98.255
192.88.100.0 192.167.255.255 192.169.0.0 198.17.255.255 198.20.0.0 198.51.99.255 198.51.101.0
203.0.112.255 203.0.114.0 223.255.255.255
2000::1 2001:200:: 2001:db7:ffff::1 2001:db9:: 2003:: 2606:4700::1111 2a00:1450::1
3ffe:ffff::1 3fff:1000:: ::ffff:8.8.8.8
""".split()

REFUSED = """
0.0.0.0 0.1.2.3 0.255.255.255 10.0.0.0 10.255.255.255 100.64.0.0 100.100.100.200 100.127.255.255
127.0.0.0 127.0.0.1 127.255.255.255 169.254.0.0 169.254.169.254 169.254.255.255 172.16.0.0
172.31.255.255 192.0.0.0 192.0.0.9 192.0.0.255 192.0.2.1 192.88.99.0 192.88.99.255 192.168.0.0
192.168.255.255 198.18.0.0 198.19.255.255 198.51.100.0 198.51.100.255 203.0.113.0 203.0.113.255
224.0.0.0 224.0.0.1 239.255.255.255 240.0.0.0 255.255.255.255
:: ::1 ::7f00:1 ::ffff:a9fe:a9fe ::ffff:127.0.0.1 ::ffff:0:127.0.0.1 64:ff9b::7f00:1
64:ff9b::808:808 64:ff9b:1::1 100::1 1fff:ffff::1 2001:: 2001:0:4136:e378:8000:63bf:3fff:fdd2
2001:1ff:ffff::1 2001:db8:: 2001:db8:ffff::1 2002:: 2002:7f00:1::1 2002:ffff::1 3fff:: 3fff:fff::1
4000::1 5f00::1 fc00::1 fd00:ec2::254 fdff::1 fe80::1 fe80::1%eth0 febf::1 fec0::1 ff02::1
2606:4700::1111%eth0
""".split()


@pytest.mark.parametrize("address", PUBLIC)
def test_public_unicast_is_allowed(address: str) -> None:
    assert judge_address(address).allowed


@pytest.mark.parametrize("address", REFUSED)
def test_everything_else_is_refused_with_a_reason(address: str) -> None:
    verdict = judge_address(address)
    assert not verdict.allowed
    assert verdict.reason


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1",
        "2130706433",
        "0x7f000001",
        "0X7F.0.0.1",
        "017700000001",
        "0177.0.0.01",
        "127.1",
        "127.0.1",
        "127.0.0.1.",
        "%31%32%37.0.0.1",
        "１２７.０.０.１",
        "127。0。0。1",
        "①②⑦.0.0.1",
        "0",
        "0x",
        "[::1]",
        "[::ffff:7f00:1]",
        "[::ffff:127.0.0.1]",
        "[0:0:0:0:0:ffff:a9fe:a9fe]",
        "[64:ff9b::7f00:1]",
    ],
)
def test_every_spelling_of_a_private_address_is_blocked(host: str) -> None:
    with pytest.raises(BlockedAddress) as caught:
        judge_url(f"http://{host}/")
    assert "127" not in caught.value.message


@pytest.mark.parametrize(
    "url",
    [
        "",
        "example.com",
        "file:///etc/hostname",
        "view-source:http://example.com/",
        "view-source:file:///etc/hostname",
        "chrome://crash",
        "devtools://devtools/x",
        "data:text/html,x",
        "blob:http://example.com/1",
        "javascript:alert(1)",
        "ftp://example.com/",
        "ws://example.com/",
        "http:example.com",
        "http:///example.com",
        "http://",
        "http://user:secret@example.com/",
        "http://user@127.0.0.1/",
        "http://exa\x00mple.com/",
        "http://example.com/\r\nHost: x",
        "http://example.com/\ud800",
        "http://exa mple.com/",
        "http://example.com:99999/",
        "http://example.com:0/",
        "http://example.com:8o/",
        "http://256.256.256.256/",
        "http://1.2.3.4.5/",
        "http://09.0.0.1/",
        "http://[::1",
        "http://[fe80::1%25eth0]/",
        "http://a..b/",
        "http://a%2fb/",
    ],
)
def test_what_is_no_plain_http_url_is_invalid(url: str) -> None:
    with pytest.raises(InvalidUrl):
        judge_url(url)


@pytest.mark.parametrize(
    ("url", "canonical"),
    [
        ("HTTP://EXAMPLE.com", "http://example.com/"),
        ("https://example.com:443/a?b#c", "https://example.com/a?b#c"),
        ("http://example.com.:8080/x", "http://example.com:8080/x"),
        ("http://faß.de/", "http://xn--fa-hia.de/"),
        ("http://☃.net/", "http://xn--n3h.net/"),
        ("http://0x08080808/", "http://8.8.8.8/"),
        ("http://[2606:4700:0::1111]:8443", "http://[2606:4700::1111]:8443/"),
        ("http://a_b.example/", "http://a_b.example/"),
        ("http://example.com\\@127.0.0.1/", "http://example.com/@127.0.0.1/"),
        ("  http://example.com/ ", "http://example.com/"),
    ],
)
def test_urls_are_rebuilt_as_a_browser_reads_them(url: str, canonical: str) -> None:
    assert judge_url(url).url == canonical


@pytest.mark.parametrize(
    ("port", "allowed"),
    [(79, False), (80, True), (81, False), (443, True), (22, False), (1023, False), (1024, True)],
)
def test_only_web_ports_and_high_ports_are_open(port: int, allowed: bool) -> None:
    assert judge_host("example.com", port, ["8.8.8.8"]).allowed is allowed


def test_one_bad_answer_refuses_the_host() -> None:
    assert judge_host("a.example", 80, ["8.8.8.8", "1.1.1.1"]).allowed
    assert not judge_host("a.example", 80, ["8.8.8.8", "10.0.0.1"]).allowed
    assert not judge_host("a.example", 80, ["8.8.8.8", "nonsense"]).allowed
    assert not judge_host("a.example", 80, []).allowed


@pytest.mark.parametrize(
    "host", ["localhost", "LOCALHOST", "localhost.", "app.localhost", "a.b.localhost."]
)
def test_loopback_names_are_refused_whatever_they_resolve_to(host: str) -> None:
    with pytest.raises(BlockedAddress):
        judge_url(f"http://{host}/")
    assert judge_url("http://localhost.example/").host == "localhost.example"
    assert judge_url("http://notlocalhost/").host == "notlocalhost"


def test_allow_list_is_exact_in_host_and_port() -> None:
    rules = EgressRules(allow=frozenset({("127.0.0.1", 8001)}))
    assert judge_url("http://127.0.0.1:8001/", rules).port == 8001
    for url in ("http://127.0.0.1:8002/", "http://127.0.0.2:8001/", "http://localhost.:8001/"):
        with pytest.raises(BlockedAddress):
            judge_url(url, rules)


def test_deny_list_covers_subdomains_only_with_a_dot() -> None:
    rules = EgressRules(deny=frozenset({"a.example", ".b.example"}))
    assert rules.denies("a.example")
    assert not rules.denies("x.a.example")
    assert rules.denies("b.example")
    assert rules.denies("x.y.b.example")
    assert not rules.denies("notb.example")
