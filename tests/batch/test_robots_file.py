"""What robots.txt says, by the examples of RFC 9309 and by its letter where it has none."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from batch.rights.robots_file import RobotsFile

HOST = "https://www.example.com"
#: RFC 9309, 5.1.
SIMPLE = """\
User-Agent: *
Disallow: *.gif$
Disallow: /example/
Allow: /publications/

User-Agent: foobot
Disallow:/
Allow:/example/page.html
Allow:/example/allowed.gif

User-Agent: barbot
User-Agent: bazbot
Disallow: /example/page.html

User-Agent: quxbot
"""


def allows(text: str | bytes, path: str, agent: str = "Pagefold") -> bool:
    body = text.encode() if isinstance(text, str) else text
    return RobotsFile(body, agent).disallowing(HOST + path) is None


@pytest.mark.parametrize(
    ("agent", "path", "allowed"),
    [
        ("otherbot", "/picture.gif", False),
        ("otherbot", "/picture.gif?size=2", True),
        ("otherbot", "/example/", False),
        ("otherbot", "/publications/", True),
        ("otherbot", "/publications/a.gif", True),
        ("otherbot", "/", True),
        ("foobot", "/", False),
        ("foobot", "/publications/", False),
        ("foobot", "/example/page.html", True),
        ("FooBot", "/example/allowed.gif", True),
        ("barbot", "/example/page.html", False),
        ("bazbot", "/example/page.html", False),
        ("bazbot", "/example/other.html", True),
        ("barbot", "/picture.gif", True),
        ("quxbot", "/example/page.html", True),
    ],
)
def test_the_simple_example(agent: str, path: str, allowed: bool) -> None:
    assert allows(SIMPLE, path, agent) is allowed


def test_the_longest_match_example() -> None:
    text = "User-Agent: foobot\nAllow: /example/page/\nDisallow: /example/page/disallowed.gif\n"
    assert not allows(text, "/example/page/disallowed.gif", "foobot")
    assert allows(text, "/example/page/allowed.gif", "foobot")


def test_an_allow_rule_wins_over_an_equal_disallow_rule() -> None:
    assert allows("User-agent: *\nDisallow: /a\nAllow: /a\n", "/a/b")


def test_groups_of_one_agent_are_one() -> None:
    text = (
        "User-agent: ExampleBot\nDisallow: /foo\nDisallow: /bar\n\n"
        "User-agent: *\nDisallow: /all\n\nuser-agent: examplebot\nDisallow: /baz\n"
    )
    for path, allowed in [("/foo", False), ("/bar", False), ("/baz", False), ("/all", True)]:
        assert allows(text, path, "ExampleBot") is allowed


def test_the_group_for_all_counts_only_where_no_group_names_the_agent() -> None:
    text = "User-agent: *\nDisallow: /foo\n\nUser-agent: BazBot\nDisallow: /baz\n"
    assert allows(text, "/foo", "BazBot")
    assert not allows(text, "/baz", "BazBot")
    assert not allows(text, "/foo", "other")
    assert allows("User-agent: BazBot\nDisallow: /\n", "/", "other")


@pytest.mark.parametrize(
    ("named", "agent", "meant"),
    [
        ("Foo", "Foobot", False),
        ("Foobot", "Foo", False),
        ("Foobot/2.1", "foobot", True),
        ("FOOBOT (the one)", "foobot", True),
        ("Foo-bot", "foo", False),
        ("Mozilla/5.0 (compatible; Foobot)", "foobot", False),
    ],
)
def test_an_agent_is_its_whole_product_token(named: str, agent: str, meant: bool) -> None:
    assert allows(f"User-agent: {named}\nDisallow: /\n", "/", agent) is not meant


@pytest.mark.parametrize(
    ("rule", "path"),
    [
        ("/foo/bar?baz=quz", "/foo/bar?baz=quz"),
        ("/foo/bar?baz=https://foo.bar", "/foo/bar?baz=https%3A%2F%2Ffoo.bar"),
        ("/foo/bar/ツ", "/foo/bar/%E3%83%84"),
        ("/foo/bar/%E3%83%84", "/foo/bar/ツ"),
        ("/foo/bar/%62%61%7A", "/foo/bar/baz"),
        ("/foo/bar/baz", "/foo/bar/%62%61%7A"),
        ("/path/file-with-a-%2A.html", "/path/file-with-a-*.html"),
        ("/path/foo-%24", "/path/foo-$"),
        ("/this/path/exactly$", "/this/path/exactly"),
        ("/this/*/exactly", "/this/or/that/exactly"),
    ],
)
def test_an_address_is_compared_by_its_octets(rule: str, path: str) -> None:
    assert not allows(f"User-agent: *\nDisallow: {rule}\n", path)


@pytest.mark.parametrize(
    ("rule", "path"),
    [
        ("/path/file-with-a-%2A.html", "/path/file-with-a-b.html"),
        ("/this/path/exactly$", "/this/path/exactly/not"),
        ("/Case", "/case"),
        ("/a%2Fb", "/a/b"),
    ],
)
def test_what_only_looks_alike_is_not_matched(rule: str, path: str) -> None:
    assert allows(f"User-agent: *\nDisallow: {rule}\n", path)


def test_comments_line_ends_and_a_mark_do_not_matter() -> None:
    text = "\ufeffUser-agent: * # all\rDisallow: /a # not this\r\n# Allow: /a\nDisallow: /b"
    assert not allows(text, "/a")
    assert not allows(text, "/b")
    assert allows(text, "/c")
    assert not allows(text.encode("utf-16"), "/b")


def test_other_records_do_not_end_a_group() -> None:
    text = (
        "User-agent: a\nSitemap: https://www.example.com/s.xml\nUnknown: x\n"
        "User-agent: Pagefold\nHost: x\nDisallow: /no\n"
    )
    assert not allows(text, "/no")
    assert not allows(text, "/no", "a")


def test_bytes_that_are_no_text_are_compared_as_they_are() -> None:
    body = "User-agent: *\nDisallow: /größe\n".encode("latin-1")
    assert not allows(body, "/gr%F6%DFe")
    assert allows(body, "/grosse")


def test_the_file_itself_may_always_be_fetched() -> None:
    assert allows("User-agent: *\nDisallow: /\n", "/robots.txt")


def test_a_long_file_is_read_to_the_last_whole_line_within_the_limit() -> None:
    head = b"User-agent: *\nDisallow: /first\n"
    filler = b"#" * (512_000 - len(head) - len(b"\nDisallow: /c")) + b"\n"
    file = RobotsFile(head + filler + b"Disallow: /cut-off\nDisallow: /late\n", "Pagefold")
    assert file.disallowing(f"{HOST}/first") is not None
    for path in ("/c", "/cut-off", "/late"):
        assert file.disallowing(HOST + path) is None
    whole = RobotsFile(head + filler[200:] + b"Disallow: /cut-off\n", "Pagefold")
    assert whole.disallowing(f"{HOST}/cut-off") is not None


def test_the_rule_that_forbids_is_named_as_it_stands() -> None:
    file = RobotsFile(
        b"User-agent: *\nDisallow: /a\nDisallow:  /a/*/c$  # why\nDissallow: /typo\n", "Pagefold"
    )
    assert file.disallowing(f"{HOST}/a/b/c") == "Disallow:  /a/*/c$"
    assert file.disallowing(f"{HOST}/a/b") == "Disallow: /a"
    assert file.disallowing(f"{HOST}/typo") == "Dissallow: /typo"


@pytest.mark.parametrize(
    ("lines", "delay"),
    [
        ("Crawl-delay: 2.5", 2.5),
        ("Request-rate: 1/10", 10.0),
        ("Request-rate: 6/1m\nCrawl-delay: 3", 10.0),
        ("Crawl-delay: soon", None),
        ("Crawl-delay: -1", None),
        ("Disallow:", None),
    ],
)
def test_the_delay_between_requests(lines: str, delay: float | None) -> None:
    assert RobotsFile(f"User-agent: *\n{lines}\n".encode(), "Pagefold").crawl_delay_s == delay
    other = RobotsFile(f"User-agent: other\n{lines}\n".encode(), "Pagefold")
    assert other.crawl_delay_s is None


def test_what_is_said_about_use_is_kept() -> None:
    file = RobotsFile(
        b"License: https://a.example/rsl.xml\nUser-agent: *\n"
        b"Content-Signal: search=yes, ai-train=no\nAllow: /\nUser-agent: x\nContent-Usage: bots=n\n",
        "Pagefold",
    )
    assert file.signals == ("Content-Signal: search=yes, ai-train=no",)
    assert file.licences == ("https://a.example/rsl.xml",)


def by_definition(rules: list[tuple[str, str]], path: str) -> bool:
    """RFC 9309, 2.2.2 and 2.2.3, for rules and paths that need no escapes."""
    best = (-1, True)
    for kind, pattern in rules:
        anchored = pattern.endswith("$")
        body = pattern.removesuffix("$") if anchored else pattern
        expression = ".*".join(map(re.escape, body.split("*"))) + (r"\Z" if anchored else "")
        if re.match(expression, path):
            best = max(best, (len(pattern), kind == "Allow"))
    return best[1]


PATTERNS = st.builds(
    lambda text, end: f"/{text}{end}", st.text("ab/*", max_size=6), st.sampled_from(["", "$"])
)


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from(["Allow", "Disallow"]), PATTERNS), max_size=6),
    st.text("ab/", max_size=8),
)
def test_rules_decide_as_defined(rules: list[tuple[str, str]], path: str) -> None:
    lines = [f"{kind}: {pattern}" for kind, pattern in rules]
    file = RobotsFile("\n".join(["User-agent: *", *lines]).encode(), "Pagefold")
    # A path with two slashes in front would be read as a host.
    found = file.disallowing(f"{HOST}/a{path}")
    assert (found is None) is by_definition(rules, f"/a{path}")
    if found is not None:
        assert found in lines
        kind, _, pattern = found.partition(": ")
        assert not by_definition([(kind, pattern)], f"/a{path}")


@given(st.binary(max_size=300), st.text(max_size=30))
def test_no_bytes_are_too_strange(body: bytes, path: str) -> None:
    file = RobotsFile(b"User-agent: *\nDisallow: /no\n" + body, "Pagefold")
    file.disallowing(f"{HOST}/{path}")
    assert file.crawl_delay_s is None or file.crawl_delay_s >= 0
