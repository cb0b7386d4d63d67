"""How polite a run is, by what the servers saw: their log, not our word for it."""

from __future__ import annotations

from pathlib import Path

from batch.engine.local import LocalEngine
from batch.plan import Output, Pace, Plan
from batch.run import Outcome, Run
from batch.sources import Input
from extractor.settings import ExtractorSettings
from testbed.crawl.addresses import DELAYED, HOSTS, LAWLESS, UNREACHABLE, SmallWeb
from testbed.crawl.answers import CRAWL_DELAY_S
from testbed.crawl.log import Hit, manners, read_log
from testbed.crawl.server import serving

#: What the clocks of a busy machine may be late by, over a whole run.
LAG_S = 0.1


async def visited(web: SmallWeb, folder: Path, pace: Pace, *paths: str) -> Outcome:
    source = folder / "urls.txt"
    source.write_text("\n".join(paths))
    settings = ExtractorSettings.model_validate({"allow_hosts": web.allow_hosts()})
    with Run(folder / "out", Input(str(source)), Plan(output=Output(), pace=pace), settings) as run:
        return await run.run(LocalEngine(settings))


def pages_of(host: int, count: int) -> list[int]:
    return [host + len(HOSTS) * number for number in range(count)]


def of(hits: list[Hit], host: int) -> list[Hit]:
    return sorted((hit for hit in hits if hit.host == host), key=lambda hit: hit.at)


async def test_hosts_are_asked_as_their_rules_and_ours_say(tmp_path: Path) -> None:
    log = tmp_path / "log"
    async with serving(400, only="page", log=log) as web:
        wanted = [(0, 12), (1, 12), (DELAYED, 5), (LAWLESS, 4), (UNREACHABLE, 3)]
        indexes = [index for host, count in wanted for index in pages_of(host, count)]
        urls = [web.url(index) for index in indexes]
        hidden = [f"{web.origin(0)}/private/1", f"{web.origin(LAWLESS)}/private/1"]
        done = await visited(
            web, tmp_path, Pace(concurrency=16, per_host=2, retries=0), *urls, *hidden
        )
    hits = read_log(log)
    seen = manners(hits)
    assert max(found.at_once for found in seen.values()) <= 2
    assert all(found.rules == 1 and found.rules_first for found in seen.values())
    # What is disallowed, or cannot be known to be allowed, was not asked for, nor any file of that site.
    assert seen[0].private == 0
    assert seen[LAWLESS].private == 1
    assert [hit.target for hit in of(hits, UNREACHABLE)] == ["/robots.txt"]
    assert done.outcomes["robots_disallowed"] == 1
    assert done.outcomes["robots_unreachable"] == 3
    # One turn after the other: the whole takes as long as all gaps together.
    assert (seen[DELAYED].pages, seen[DELAYED].at_once) == (5, 1)
    assert seen[DELAYED].span_s >= 4 * CRAWL_DELAY_S - LAG_S


async def test_a_rate_of_ours_holds_where_a_site_asks_for_none(tmp_path: Path) -> None:
    log = tmp_path / "log"
    async with serving(400, only="page", log=log) as web:
        urls = [web.url(index) for host in (2, 3) for index in pages_of(host, 6)]
        pace = Pace(concurrency=16, per_host=4, rate=10, retries=0)
        done = await visited(web, tmp_path, pace, *urls)
    assert done.outcomes == {"ok": 12}
    hits = read_log(log)
    for host in (2, 3):
        assert manners(hits)[host].span_s >= 5 / 10 - LAG_S
    # The two hosts were not waited for one after the other.
    first, last = (of(hits, host) for host in (2, 3))
    assert first[0].at < last[-1].at
    assert last[0].at < first[-1].at


async def test_as_many_pages_of_a_host_are_open_as_allowed(tmp_path: Path) -> None:
    log = tmp_path / "log"
    async with serving(400, only="slow", log=log) as web:
        # Each of them takes a second, so that all would be open together if nobody minded.
        urls = [web.url(index) for host in (4, 5) for index in pages_of(host, 4)]
        done = await visited(web, tmp_path, Pace(concurrency=16, per_host=2, retries=0), *urls)
    assert done.outcomes == {"ok": 8}
    assert {found.at_once for found in manners(read_log(log)).values()} == {2}
