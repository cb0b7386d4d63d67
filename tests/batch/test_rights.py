"""What headers, markup and site files say about the use of a page, and the record of it."""

from __future__ import annotations

import hashlib
import json

import pytest

from batch.rights import Document, Reservation, RobotsDecision, TdmFiles, rights_record, site_files
from batch.rights.headers import Directive, directives, linked_licences, x_robots_tag
from batch.rights.markup import Licence, markup_signals
from batch.rights.tdm import parse_tdmrep, reservation_of
from extractor.egress.proxy import EgressProxy
from extractor.settings import ExtractorSettings
from tests.browser.site import serve

URL = "https://a.example/dir/page"
CC = "https://creativecommons.org/licenses/by/4.0/"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("noindex", [Directive("noindex")]),
        ("NoIndex, noai", [Directive("noindex"), Directive("noai")]),
        (
            "googlebot: noindex, nofollow",
            [Directive("noindex", None, "googlebot"), Directive("nofollow", None, "googlebot")],
        ),
        ("max-snippet:-1, none", [Directive("max-snippet", "-1"), Directive("none")]),
        (
            "unavailable_after: Wed, 03 Dec 2025 13:09:53 GMT, noai",
            [
                Directive("unavailable_after", "Wed, 03 Dec 2025 13:09:53 GMT"),
                Directive("noai"),
            ],
        ),
        ("otherbot: max-snippet: 20", [Directive("max-snippet", "20", "otherbot")]),
        (" , ,", []),
    ],
)
def test_directives_are_told_apart(text: str, expected: list[Directive]) -> None:
    assert directives(text) == expected


def test_each_header_starts_with_all_crawlers_again() -> None:
    headers = [("X-Robots-Tag", "googlebot: noindex"), ("x-robots-tag", "noai")]
    assert x_robots_tag(headers) == [Directive("noindex", None, "googlebot"), Directive("noai")]


def test_licences_of_link_headers_are_made_absolute() -> None:
    headers = [
        ("Link", '</style>; rel=preload, <../l.html>; rel="license copyright"; title="a, b"'),
        ("link", f"<{CC}>; rel=license"),
        ("Link", "</x>; rel=unlicensed"),
    ]
    assert linked_licences(headers, URL) == ["https://a.example/l.html", CC]


MARKUP = f"""<!doctype html><head>
<meta name=robots content="noindex, noai"><meta name="Pagefold" content="nosnippet">
<meta name=GPTBot content=noindex><meta name="tdm-reservation" content="1">
<meta name="tdm-policy" content="/policy.json"><meta name="DC.rights" content="All mine">
<link rel="license" href="/terms"><link rel=stylesheet href=/s.css>
<script type="application/ld+json">{{"@graph": [{{"@type": "Article", "license": "{CC}"}},
 {{"license": {{"@id": "https://b.example/l"}}}}]}}</script>
<script type="application/ld+json">{{"license": </script></head>
<body><a rel="nofollow LICENSE" href="{CC}">cc</a>
<a href="https://creativecommons.org/publicdomain/zero/1.0/">0</a>
<a href="https://creativecommons.org/about">about</a><a href="http://[bad" rel=license>x</a>"""


def test_what_the_markup_says() -> None:
    found = markup_signals(MARKUP, URL, "Pagefold")
    assert found.robots == (
        Directive("noindex"),
        Directive("noai"),
        Directive("nosnippet", None, "pagefold"),
        Directive("noindex", None, "gptbot"),
    )
    assert (found.tdm_reservation, found.tdm_policy) == ("1", "https://a.example/policy.json")
    assert found.licences == (
        Licence("https://a.example/terms", "rel-license"),
        Licence(CC, "rel-license"),
        Licence("https://b.example/l", "json-ld"),
        Licence("All mine", "meta"),
        Licence("https://creativecommons.org/publicdomain/zero/1.0/", "cc-link"),
    )


def test_a_page_that_says_nothing() -> None:
    found = markup_signals("<p>text", URL, "Pagefold")
    assert (found.robots, found.tdm_reservation, found.licences) == ((), None, ())


def test_data_made_to_cost_time_is_given_up() -> None:
    deep = "[" * 100_000 + "]" * 100_000
    wide = json.dumps([{"license": f"l{at}"} for at in range(30_000)])
    html = "".join(f'<script type="application/ld+json">{data}</script>' for data in (deep, wide))
    assert len(markup_signals(html, URL, "Pagefold").licences) == 50


TDMREP = [
    {"location": "/", "tdm-reservation": 1, "tdm-policy": "https://a.example/p"},
    {"location": "/open/*", "tdm-reservation": 0},
    {"location": "/open/*.pdf$", "tdm-reservation": "1", "tdm-policy": "policy"},
    {"location": "/bad\nAllow: /", "tdm-reservation": 0},
    {"location": 5, "tdm-reservation": 0},
    {"location": "/x", "tdm-reservation": "maybe"},
    "nothing",
]


@pytest.mark.parametrize(
    ("path", "reserved", "location", "policy"),
    [
        ("/dir/page", True, "/", "https://a.example/p"),
        ("/open/page?a=1", False, "/open/*", None),
        ("/open/a.pdf", True, "/open/*.pdf$", "https://a.example/.well-known/policy"),
        ("/open/a.pdf?x", False, "/open/*", None),
    ],
)
def test_the_longest_location_decides(
    path: str, reserved: bool, location: str, policy: str | None
) -> None:
    rules = parse_tdmrep(json.dumps(TDMREP).encode(), "https://a.example/.well-known/tdmrep.json")
    rule = next(rule for rule in rules if rule.fits(f"https://a.example{path}"))
    assert (rule.reserved, rule.location, rule.policy) == (reserved, location, policy)
    assert len(rules) == 3


@pytest.mark.parametrize("body", [b"", b"{", b"{}", b"null", b"\xff\xff", b"[" * 5000])
def test_a_malformed_file_says_nothing(body: bytes) -> None:
    assert parse_tdmrep(body, URL) == ()


async def test_the_file_of_a_site_is_asked_for_once() -> None:
    async with serve({"/.well-known/tdmrep.json": json.dumps(TDMREP)}) as site, serve({}) as bare:
        settings = ExtractorSettings(
            allow_hosts=f"127.0.0.1:{site.port},127.0.0.1:{bare.port},127.0.0.1:1",
            allow_ports="1,80",
        )
        async with EgressProxy(settings) as proxy:
            files = TdmFiles(site_files(settings, proxy), egress=settings.egress_rules)
            for path, reserved in [("/a", True), ("/open/b", False)]:
                found = await files.reservation(site.url(path))
                assert (found.reserved, found.source) == (reserved, "tdmrep.json")
            assert len(site.seen) == 1
            assert await files.reservation(bare.url("/")) == Reservation()
            gone = await files.reservation("http://127.0.0.1:1/")
            assert gone == Reservation(error="connect")
            await files.close()


def test_the_nearer_reservation_counts() -> None:
    site = Reservation(True, "https://a.example/p", "tdmrep.json", "/")
    silent, says = markup_signals("", URL, "x"), markup_signals(MARKUP, URL, "x")
    header = [("TDM-Reservation", "0"), ("tdm-policy", "https://h.example/p")]
    assert reservation_of([], silent, site) == site
    assert reservation_of(header, silent, site) == Reservation(
        False, "https://h.example/p", "header"
    )
    assert reservation_of(header, says, site).source == "meta"
    assert reservation_of([("tdm-reservation", "?")], silent, Reservation()).reserved is None


def test_the_record_holds_what_was_said() -> None:
    body = MARKUP.encode()
    document = Document(
        url=URL,
        headers=(
            ("Content-Type", "text/html"),
            ("X-Robots-Tag", "noimageai"),
            ("X-Robots-Tag", "otherbot: noarchive"),
            ("Content-Usage", "train-ai=n"),
            ("Link", f"<{CC}>; rel=license"),
        ),
        body=body,
        fetched_at="2026-01-01T00:00:00+00:00",
    )
    robots = RobotsDecision(
        True, "rules", robots_hash="ab", status=200, licences=("https://a.example/rsl.xml",)
    )
    record = rights_record(document, agent="Pagefold", robots=robots)
    assert json.loads(json.dumps(record)) == record
    assert record["content_sha256"] == hashlib.sha256(body).hexdigest()
    assert record["recorded_at"] == document.fetched_at
    assert record["agent"] == "Pagefold"
    assert record["opt_outs"] == ["noai", "noimageai", "noindex", "nosnippet"]
    assert record["content_usage"] == ["train-ai=n"]
    assert record["tdm"]["reserved"] is True
    assert record["robots"]["sha256"] == "ab"
    assert record["licences"][0] == {"url": CC, "source": "link-header"}
    assert record["licences"][-1] == {"url": "https://a.example/rsl.xml", "source": "robots.txt"}
    assert [entry["url"] for entry in record["licences"]].count(CC) == 1


@pytest.mark.parametrize(
    ("content_type", "body", "read"),
    [
        ("text/html; charset=utf-16le", MARKUP.encode("utf-16le"), True),
        ("text/html", b"\xff\xfe" + MARKUP.encode("utf-16le"), True),
        ("text/plain", MARKUP.encode(), False),
        ("application/pdf", b"%PDF-1.7", False),
        (None, MARKUP.encode(), True),
        (None, b"", False),
    ],
)
def test_markup_is_read_in_its_own_encoding_and_nothing_else_as_markup(
    content_type: str | None, body: bytes, read: bool
) -> None:
    headers = (("content-type", content_type),) if content_type else ()
    record = rights_record(Document(URL, headers, body, ""), agent="Pagefold")
    assert bool(record["meta_robots"]) is read
    assert list(record) == list(rights_record(Document(URL, (), b"", ""), agent="x"))
    assert record["robots"]["state"] == "not_asked"
