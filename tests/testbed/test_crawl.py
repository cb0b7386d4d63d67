"""The small web answers as it says it does, seen by a visitor that is not ours."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path
from urllib.parse import urlsplit

import httpx2
import pytest

from testbed.crawl.addresses import DELAYED, HOSTS, LAWLESS, PLAIN, UNREACHABLE, SmallWeb
from testbed.crawl.kinds import CYCLE, KINDS, OK, kind_of
from testbed.crawl.log import Hit, manners, read_log
from testbed.crawl.server import serving
from testbed.crawl.words import paragraphs


def test_every_kind_stands_on_every_host() -> None:
    pages = CYCLE * len(HOSTS)
    met = {(kind_of(index), index % len(HOSTS)) for index in range(pages)}

    frequent = [name for name, kind in KINDS.items() if kind.every == 1]
    assert {(name, host) for name in frequent for host in range(len(HOSTS))} <= met
    assert {name for name, _ in met} == set(KINDS)
    assert {kind_of(index) for index in range(CYCLE)} == set(KINDS)


def test_expectations_are_counted_by_hand() -> None:
    # On one turn of the cycle over a web without the hosts that have rules of their own.
    web = SmallWeb(CYCLE, 80)
    own_rules = {UNREACHABLE, LAWLESS}
    counts = Counter(each.outcome for each in web if each.index % len(HOSTS) not in own_rules)
    everywhere = Counter(web.counts)

    assert everywhere.total() == CYCLE
    assert everywhere["http_404"] + everywhere["http_410"] <= 7
    assert counts["robots_disallowed"] <= 5
    # Host 16 has numbers 16, 36, 56, 76 and 96 of the 97.
    closed = [each for each in web if each.index in (16, 36, 56, 76, 96)]
    assert {each.outcome for each in closed} == {"robots_unreachable"}
    assert {each.outcome for each in web if each.index in (18, 38, 58, 78)} <= {
        OK,
        *(kind.outcome for name, kind in KINDS.items() if name not in ("private", "trap")),
    }


def test_only_what_repeats_is_alike() -> None:
    texts = Counter(" ".join(paragraphs(number)) for number in range(500))
    assert set(texts.values()) == {1}
    was, now = (" ".join(paragraphs(3, changed)).split() for changed in (False, True))
    assert sum(a != b for a, b in zip(was, now, strict=True)) == 3


async def test_statuses_and_places_are_as_expected(tmp_path: Path) -> None:
    async with (
        serving(2 * CYCLE, log=tmp_path / "log") as web,
        httpx2.AsyncClient(trust_env=False, timeout=20, max_redirects=5) as client,
    ):
        looked = [each for each in web if each.kind not in ("stalled", "huge", "slow")]

        async def look(url: str) -> tuple[int | None, str, str]:
            try:
                answer = await client.get(url, follow_redirects="/inside/" not in url)
                if answer.status_code == 503:
                    answer = await client.get(url)
            except (httpx2.RemoteProtocolError, httpx2.ReadError):
                if "/healing/" not in url:
                    return None, url, ""
                answer = await client.get(url)
            except (httpx2.DecodingError, httpx2.TooManyRedirects) as error:
                return None, url, type(error).__name__
            return answer.status_code, str(answer.url), answer.text

        seen = [await look(each.url) for each in looked]

    for each, (status, place, text) in zip(looked, seen, strict=True):
        if each.kind == "cut":
            assert status is None
        elif each.outcome == OK:
            assert (status, place) == (200, each.final_url), each
            if each.kind not in ("utf-16", "shift_jis", "windows-1251"):
                # This client does not look for an encoding within the page.
                assert each.phrase in text or each.kind == "script", each
        elif each.status is not None:
            assert status == each.status, each
        elif each.kind in ("reset", "loop", "garbled"):
            assert status is None, each
        elif each.kind == "inside":
            assert status == 302
    assert all(hit.status != 200 or hit.until >= hit.at for hit in read_log(tmp_path / "log"))


async def test_rules_of_each_host(tmp_path: Path) -> None:
    async with serving(1) as web, httpx2.AsyncClient(trust_env=False) as client:
        got = [
            await client.get(f"{web.origin(0, host)}/robots.txt", follow_redirects=True)
            for host in range(len(HOSTS))
        ]

    assert got[UNREACHABLE].status_code == 503
    assert got[LAWLESS].status_code == 404
    assert "Crawl-delay: 0.2" in got[DELAYED].text
    assert len(got[-1].history) == 1
    assert {answer.text for answer in got[:PLAIN]} == {"User-agent: *\nDisallow: /private/\n"}


async def test_the_log_tells_how_many_came_at_once(tmp_path: Path) -> None:
    log = tmp_path / "log"
    slow = next(index for index in range(CYCLE) if kind_of(index) == "slow")
    async with (
        serving(CYCLE, log=log) as web,
        httpx2.AsyncClient(trust_env=False, timeout=20) as client,
    ):
        await asyncio.gather(*(client.get(web.url(slow)) for _ in range(3)))
        await client.get(f"{web.origin(slow)}/private/1")

    [found] = manners(read_log(log)).values()
    assert (found.pages, found.at_once, found.private) == (4, 3, 1)
    assert found.rules == 0
    assert not found.rules_first


def test_manners_by_hand() -> None:
    def hit(at: float, until: float, target: str = "/page/1") -> Hit:
        return Hit(at, until, 4, target, 200, "x")

    hits = [hit(10, 11, "/robots.txt"), hit(11, 13), hit(11.5, 12), hit(12, 12.5), hit(13, 14)]
    found = manners(hits)[4]
    assert (found.pages, found.at_once, found.gap_s, found.rules) == (4, 2, 0.5, 1)
    assert found.span_s == 2
    assert found.rules_first


@pytest.mark.parametrize("kind", ["page", "script"])
def test_a_web_of_one_kind(kind: str) -> None:
    web = SmallWeb(40, 8000, kind)
    assert {urlsplit(each.url).path.split("/")[1] for each in web} == {kind}
    assert web.counts == Counter({OK: 38, "robots_unreachable": 2})
