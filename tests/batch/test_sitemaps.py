"""Sitemaps of strangers: lists, indexes, gzip, limits, and XML that means harm."""

from __future__ import annotations

import asyncio
import gzip
from pathlib import Path

import pytest

from batch.errors import InputError
from batch.inputs import InputReport, InputRules, open_tasks
from batch.task import Task
from extractor.settings import ExtractorSettings
from tests.browser.site import Answer, Routes, Site, serve

HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'
NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
PAGES = [f"http://a.example/{name}" for name in ("", "b", "c?d=1&e=2", "ü")]


def urlset(*pages: str) -> str:
    entries = "".join(f"<url><loc>\n {page.replace('&', '&amp;')} </loc></url>\n" for page in pages)
    return f"{HEAD}<urlset {NAMESPACE}>{entries}</urlset>"


def index(*maps: str) -> str:
    entries = "".join(f"<sitemap><loc>{name}</loc></sitemap>\n" for name in maps)
    return f"{HEAD}<!-- all -->\n<sitemapindex {NAMESPACE}>{entries}</sitemapindex>"


def read(
    source: str, *, sites: tuple[Site, ...] = (), **rules: object
) -> tuple[list[Task], InputReport]:
    allow = ",".join(f"127.0.0.1:{site.port}" for site in sites)
    report = InputReport()
    settings = ExtractorSettings(allow_hosts=allow, max_redirects=2)
    tasks = list(
        open_tasks(source, rules=InputRules(**rules), report=report, settings=settings)  # type: ignore[arg-type]
    )
    return tasks, report


def test_a_file_is_read_with_its_fields_and_nothing_is_fetched(tmp_path: Path) -> None:
    extra = (
        "<url><x:image xmlns:x='urn:x'><x:loc>http://a.example/pic</x:loc></x:image>"
        "<priority>0.5</priority><loc>http://a.example/last</loc><lastmod>2026-01-01</lastmod></url>"
        "<url><lastmod>2026-01-01</lastmod></url><url><loc>not one</loc></url></urlset>"
    )
    path = tmp_path / "map"
    for name, content in [
        ("map.xml", urlset(*PAGES).replace("</urlset>", extra).encode()),
        ("map", gzip.compress(urlset(*PAGES).replace("</urlset>", extra).encode(), mtime=0)),
    ]:
        path = tmp_path / name
        path.write_bytes(content)
        tasks, report = read(str(path))
        assert [task.url for task in tasks] == [*PAGES, "http://a.example/last"]
        assert tasks[-1].fields == {"lastmod": "2026-01-01", "priority": "0.5"}
        assert report.bad == {"no_address": 1, "invalid_url": 1}
        assert "line" in report.bad_notes[0].place


async def test_an_index_is_followed_through_the_egress_policy() -> None:
    routes: Routes = {
        "/deep.xml": urlset(*PAGES[:2]),
        "/zipped.xml.gz": Answer(gzip.compress(urlset(*PAGES[2:]).encode())),
        "/again.xml": urlset(PAGES[0]),
    }
    async with serve(routes) as site:
        routes["/inner.xml"] = index(site.url("/zipped.xml.gz"), site.url("/sitemap.xml"))
        routes["/sitemap.xml"] = index(
            site.url("/deep.xml"),
            site.url("/inner.xml"),
            site.url("/gone.xml"),
            "http://10.1.2.3/private.xml",
            "file:///etc/passwd",
            site.url("/again.xml"),
        )
        tasks, report = await asyncio.to_thread(read, site.url("/sitemap.xml"), sites=(site,))
    assert [task.url for task in tasks] == PAGES
    assert report.skipped == {"sitemap_again": 1}
    assert report.repeated == 1
    assert report.bad == {"sitemap": 3}
    details = [note.detail for note in report.bad_notes]
    assert "404" in details[0]
    assert "blocked_address" in details[1]
    assert "invalid_url" in details[2]


async def test_depth_number_and_size_have_limits() -> None:
    routes: Routes = {"/ok.xml": urlset(PAGES[0])}
    async with serve(routes) as site:
        names = [site.url(f"/{at}.xml") for at in range(6)]
        for at in range(5):
            routes[f"/{at}.xml"] = index(names[at + 1])
        routes["/5.xml"] = urlset(PAGES[1])
        routes["/bomb.xml.gz"] = Answer(gzip.compress(urlset(PAGES[2]).encode() + b" " * 5_000_000))
        routes["/top.xml"] = index(site.url("/ok.xml"), names[0], site.url("/bomb.xml.gz"))
        tasks, report = await asyncio.to_thread(
            read, site.url("/top.xml"), sites=(site,), max_sitemap_bytes=100_000
        )
        few, counted = await asyncio.to_thread(
            read, site.url("/top.xml"), sites=(site,), max_sitemaps=2
        )
    # What stood in front of the limit was read.
    assert [task.url for task in tasks] == [PAGES[0], PAGES[2]]
    assert report.bad == {"sitemap_depth": 1, "sitemap": 1}
    assert "larger than 100000 bytes" in report.bad_notes[-1].detail
    assert [task.url for task in few] == [PAGES[0]]
    assert counted.bad["max_sitemaps"] >= 1


async def test_a_list_on_a_server_is_an_input_too() -> None:
    async with serve({"/list.txt": "\n".join(PAGES)}) as site:
        tasks, _ = await asyncio.to_thread(read, site.url("/list.txt"), sites=(site,))
        assert [task.url for task in tasks] == PAGES
        with pytest.raises(InputError, match="404"):
            await asyncio.to_thread(read, site.url("/none.txt"), sites=(site,))
        with pytest.raises(InputError, match="blocked_address"):
            await asyncio.to_thread(read, site.url("/list.txt"))


LAUGHS = "".join(
    f'<!ENTITY e{at} "{f"&e{at - 1};" * 10 if at else "http://a.example/"}">' for at in range(9)
)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            f"{HEAD}<!DOCTYPE urlset [{LAUGHS}]><urlset><url><loc>&e8;</loc></url></urlset>",
            "document type",
        ),
        (
            f'{HEAD}<!DOCTYPE urlset [<!ENTITY x SYSTEM "file:///etc/passwd">]>'
            "<urlset><url><loc>&x;</loc></url></urlset>",
            "document type",
        ),
        (f'{HEAD}<!DOCTYPE urlset SYSTEM "http://10.1.2.3/x.dtd"><urlset/>', "document type"),
        (f"{HEAD}<urlset><url><loc>&x;</loc></url></urlset>", "no usable entry|line 2"),
        (f"{HEAD}<urlset><url><loc>http://a.example/</loc>", "line 2"),
        (f"{HEAD}<rss><urlset/></rss>", "rss is no sitemap"),
        (f"{HEAD}<feed/>", "no sitemap"),
        (f"{HEAD}<urlset/>", "no usable entry"),
        (f"{HEAD}" + "<urlset>" * 400, "line 2"),
        ("", "empty"),
    ],
)
def test_xml_that_is_harmful_or_broken_is_refused(
    tmp_path: Path, content: str, message: str
) -> None:
    path = tmp_path / "map.xml"
    path.write_text(content)
    with pytest.raises(InputError, match=message):
        read(str(path))
