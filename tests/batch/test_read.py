"""From a task to its row."""

from __future__ import annotations

import asyncio
import hashlib
from dataclasses import replace

import pytest

from batch.plan import Manners
from batch.read import Reading, read
from batch.readers import Readers
from batch.rights import RobotsDecision
from batch.rows import Row
from batch.task import ArchivedResponse, Task
from extractor.settings import ExtractorSettings
from tests.batch.pages import PAGE, open_readers, pages, plan, settings_for
from tests.browser.site import Answer, Routes, Site, serve


async def read_one(site: Site, path: str, **options: object) -> Reading:
    async with open_readers(plan(**options), settings_for(site)) as readers:  # type: ignore[arg-type]
        return await read(Task(7, site.url(path), {"topic": "tides"}), readers)


async def row_of(routes: Routes, path: str, **options: object) -> tuple[Row, Site]:
    async with serve(routes) as site:
        return (await read_one(site, path, **options)).row, site


async def test_a_page_is_a_row_with_all_its_contents() -> None:
    body = PAGE.format(n=1)
    async with serve({"/1": body}) as site:
        reading = await read_one(site, "/1")
    row = reading.row
    assert (row.index, row.url, row.final_url) == (7, site.url("/1"), site.url("/1"))
    assert (row.status, row.title, row.lang, row.render) == (200, "Page 1", "en", "static")
    assert (row.attempts, row.outcome, dict(row.fields)) == (1, "ok", {"topic": "tides"})
    assert row.markdown is not None
    assert row.text is not None
    assert "# Page 1" in row.markdown
    assert "Home" not in row.markdown.partition("# Page 1")[2]
    assert "Home" in row.text
    assert row.metadata is not None
    assert row.metadata["canonical"] == site.url("/1")
    assert [region.role for region in row.regions if region.role in ("main", "nav")] == [
        "nav",
        "main",
    ]
    assert row.hashes is not None
    assert row.hashes.body_sha256 == hashlib.sha256(body.encode()).hexdigest()
    assert row.hashes.text_sha256 == hashlib.sha256(row.text.encode()).hexdigest()
    assert row.sizes is not None
    assert (row.sizes.body_bytes, row.sizes.text_chars) == (len(body), len(row.text))
    assert row.filter is not None
    assert row.filter.name == "pagefold"
    assert row.fetched_at is not None
    assert row.fetched_at.endswith("Z")
    assert reading.answer is not None
    assert reading.answer.body == body.encode()


async def test_redirects_are_followed_one_by_one_and_named() -> None:
    routes: Routes = {
        "/a": Answer("", 302, {"Location": "/b"}),
        "/b": Answer("", 301, {"Location": "/1"}),
        **pages(2),
    }
    row, site = await row_of(routes, "/a")
    assert row.final_url == site.url("/1")
    assert row.redirects == (site.url("/a"), site.url("/b"))
    assert [path for path, _ in site.seen] == ["/a", "/b", "/1"]


async def test_redirects_without_end_are_an_error() -> None:
    row, site = await row_of({"/a": Answer("", 302, {"Location": "/a"})}, "/a")
    assert row.outcome == "too_many_redirects"
    assert len(site.seen) == 11


@pytest.mark.parametrize(
    ("path", "code", "attempts"),
    [
        ("/gone", "http_410", 1),
        ("/missing", "http_404", 1),
        ("/broken", "http_500", 3),
        ("/file", "download", 1),
        ("/empty", "empty", 1),
        ("/binary", "unsupported_media", 1),
    ],
)
async def test_what_is_no_page_is_an_error_of_its_own(path: str, code: str, attempts: int) -> None:
    routes: Routes = {
        "/gone": Answer("Gone", 410),
        "/broken": Answer("Broken", 500),
        "/file": Answer("x", headers={"Content-Disposition": "attachment"}),
        "/empty": "",
        "/binary": Answer(b"\x00\x01" * 99, headers={"Content-Type": "application/octet-stream"}),
    }
    row, site = await row_of(routes, path)
    assert (row.outcome, row.attempts, len(site.seen)) == (code, attempts, attempts)
    assert row.html is row.text is row.markdown is None
    assert row.status is not None


async def test_what_may_work_later_is_tried_again() -> None:
    page = PAGE.format(n=5)
    answers = [
        "HTTP/1.1 503 X\r\nRetry-After: 0\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 429 X\r\nContent-Length: 0\r\n\r\n",
        f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {len(page)}\r\n\r\n{page}",
    ]

    async def unsteady(writer: asyncio.StreamWriter) -> None:
        writer.write(answers.pop(0).encode())

    row, _ = await row_of({"/now": unsteady}, "/now", retries=3)
    assert (row.outcome, row.attempts, row.status, row.title) == ("ok", 3, 200, "Page 5")


@pytest.mark.parametrize(
    "url", ["ftp://example.org/", "http://10.0.0.1/", "nonsense", "http://a b/"]
)
async def test_addresses_that_may_not_be_opened_are_never_asked_for(url: str) -> None:
    async with open_readers(plan(), ExtractorSettings()) as readers:
        row = (await read(Task(0, url), readers)).row
    assert row.outcome in ("invalid_url", "blocked_address")
    assert row.status is None


async def test_an_archived_answer_is_read_without_the_network() -> None:
    body = PAGE.format(n=3).encode()
    kept = ArchivedResponse(
        url="https://example.org/3",
        status=200,
        headers=(("Content-Type", "text/html; charset=utf-8"), ("X-Robots-Tag", "noindex")),
        body=body,
        fetched_at="2025-02-03T04:05:06Z",
        archive="crawl.warc.gz",
        offset=417,
        record_id="<urn:uuid:1>",
    )
    async with open_readers(plan(), ExtractorSettings()) as readers:
        reading = await read(Task(0, "https://example.org/3", response=kept), readers)
    row = reading.row
    assert (row.render, row.title, row.attempts) == ("archive", "Page 3", 0)
    assert (row.fetched_at, row.status) == ("2025-02-03T04:05:06Z", 200)
    assert row.source is not None
    assert (row.source.archive, row.source.offset) == ("crawl.warc.gz", 417)
    assert reading.answer is None
    assert row.rights is not None
    assert row.rights["x_robots_tag"][0]["name"] == "noindex"


class Rules:
    """robots.txt of a site that forbids ``/private``, and cannot be had for ``/lost``."""

    async def allowed(self, url: str) -> RobotsDecision:
        if "/lost" in url:
            return RobotsDecision(allowed=False, state="unreachable", error="dns")
        allowed = "/private" not in url
        return RobotsDecision(allowed, "rules", None if allowed else "Disallow: /private", "abc")


async def test_robots_are_asked_before_the_first_and_every_further_address() -> None:
    routes: Routes = {**pages(1), "/there": Answer("", 302, {"Location": "/private"})}
    async with (
        serve(routes) as site,
        open_readers(plan(), settings_for(site)) as opened,
    ):
        readers: Readers = replace(opened, robots=Rules())
        rows = [
            (await read(Task(n, site.url(path)), readers)).row
            for n, path in enumerate(["/private", "/there", "/0", "/lost"])
        ]
    assert [row.outcome for row in rows] == [
        "robots_disallowed",
        "robots_disallowed",
        "ok",
        "robots_unreachable",
    ]
    assert [path for path, _ in site.seen] == ["/there", "/0"]
    assert [row.rights and row.rights["robots"]["allowed"] for row in rows] == [
        False,
        False,
        True,
        False,
    ]
    assert rows[1].rights is not None
    assert rows[1].rights["robots"]["rule"] == "Disallow: /private"
    assert [row.attempts for row in rows] == [1, 1, 1, 1]


async def test_sites_are_asked_once_for_what_they_allow_and_reserve() -> None:
    routes: Routes = {
        **pages(3),
        "/robots.txt": Answer(
            "User-agent: *\nDisallow: /2\n", headers={"Content-Type": "text/plain"}
        ),
        "/.well-known/tdmrep.json": Answer('[{"location": "/1", "tdm-reservation": 1}]'),
    }
    polite = replace(plan(), manners=Manners())
    async with serve(routes) as site, open_readers(polite, settings_for(site)) as readers:
        rows = [(await read(Task(n, site.url(f"/{n}")), readers)).row for n in range(3)]
    assert [row.outcome for row in rows] == ["ok", "ok", "robots_disallowed"]
    rights = [row.rights or {} for row in rows]
    assert [each["robots"]["state"] for each in rights] == ["rules"] * 3
    assert [each["tdm"]["reserved"] for each in rights] == [None, True, None]
    assert [path for path, _ in site.seen] == [
        "/robots.txt",
        "/.well-known/tdmrep.json",
        "/0",
        "/1",
    ]


async def test_auto_opens_a_browser_where_scripts_can_change_the_page() -> None:
    script = "<title>S</title><main></main><script>document.querySelector('main').textContent = 'Made by a script'</script>"
    async with (
        serve({**pages(1), "/s": script}) as site,
        open_readers(plan(render="auto"), settings_for(site)) as readers,
    ):
        plain = (await read(Task(0, site.url("/0")), readers)).row
        scripted = await read(Task(1, site.url("/s")), readers)
        missing = (await read(Task(2, site.url("/missing")), readers)).row
    assert (plain.render, plain.outcome) == ("static", "ok")
    assert scripted.row.render == "browser"
    assert scripted.row.text is not None
    assert "Made by a script" in scripted.row.text
    assert scripted.answer is not None
    assert scripted.answer.body.decode() == script
    assert (missing.outcome, missing.status) == ("http_404", 404)
