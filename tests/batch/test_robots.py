"""robots.txt as servers on loopback give it: found, moved, missing, broken, kept and asked for again."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import pytest

from batch.rights import Robots, RobotsDecision, RobotsRules, site_files
from extractor.egress.proxy import EgressProxy
from extractor.errors import BlockedAddress, InvalidUrl
from extractor.settings import ExtractorSettings
from tests.browser.site import Answer, Routes, Site, serve

NO = "User-agent: *\nDisallow: /no\nCrawl-delay: 2\n"


class Clock:
    def __init__(self) -> None:
        self.now = datetime(2026, 1, 1, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


@contextlib.asynccontextmanager
async def robots_of(
    *sites: Site, clock: Clock | None = None, **rules: float
) -> AsyncIterator[Robots]:
    allow = ",".join(f"127.0.0.1:{site.port}" for site in sites)
    settings = ExtractorSettings(allow_hosts=allow, connect_timeout_s=2)
    async with EgressProxy(settings) as proxy:
        robots = Robots(
            RobotsRules(**rules),  # type: ignore[arg-type]
            site_files(settings, proxy, deadline_s=5),
            egress=settings.egress_rules,
            clock=clock or Clock(),
        )
        yield robots
        await robots.close()


async def decided(routes: Routes, path: str = "/no", **rules: float) -> tuple[RobotsDecision, Site]:
    async with serve(routes) as site, robots_of(site, **rules) as robots:
        return await robots.allowed(site.url(path)), site


async def test_the_decision_says_what_it_rests_on() -> None:
    decision, site = await decided({"/robots.txt": NO})
    assert decision == RobotsDecision(
        allowed=False,
        state="rules",
        rule="Disallow: /no",
        robots_hash=hashlib.sha256(NO.encode()).hexdigest(),
        status=200,
        crawl_delay_s=2.0,
        fetched_at="2026-01-01T00:00:00+00:00",
    )
    assert site.seen[0][1]["user-agent"] == ExtractorSettings().user_agent


async def test_five_redirects_are_followed_also_to_another_origin() -> None:
    moved: Routes = {
        f"/r{at}": Answer("", 302, {"Location": f"/r{at + 1}" if at < 4 else "/rules"})
        for at in range(1, 5)
    }
    async with serve({**moved, "/rules": NO}) as other:
        routes: Routes = {"/robots.txt": Answer("", 301, {"Location": other.url("/r1")})}
        async with serve(routes) as site, robots_of(site, other) as robots:
            decision = await robots.allowed(site.url("/no"))
            assert (decision.allowed, decision.state) == (False, "rules")
            assert (await robots.allowed(site.url("/yes"))).allowed
    assert [path for path, _ in other.seen] == ["/r1", "/r2", "/r3", "/r4", "/rules"]


async def test_after_more_redirects_there_is_no_file() -> None:
    routes: Routes = {"/robots.txt": Answer("", 302, {"Location": "/robots.txt"})}
    decision, site = await decided(routes)
    assert (decision.allowed, decision.state) == (True, "unavailable")
    assert len(site.seen) == 6


@pytest.mark.parametrize(
    ("status", "allowed", "state"),
    [
        (400, True, "unavailable"),
        (401, True, "unavailable"),
        (403, True, "unavailable"),
        (404, True, "unavailable"),
        (410, True, "unavailable"),
        (429, False, "unreachable"),
        (500, False, "unreachable"),
        (503, False, "unreachable"),
        (304, False, "unreachable"),
    ],
)
async def test_a_missing_file_allows_and_a_broken_server_forbids(
    status: int, allowed: bool, state: str
) -> None:
    decision, _ = await decided({"/robots.txt": Answer("User-agent: *\nDisallow:", status)})
    assert (decision.allowed, decision.state, decision.status) == (allowed, state, status)
    assert decision.robots_hash is None


async def test_a_server_that_does_not_answer_forbids_and_says_why() -> None:
    async with serve({}) as gone:
        url = gone.url("/")
    async with robots_of(gone) as robots:
        decision = await robots.allowed(url)
    assert (decision.allowed, decision.state, decision.error) == (False, "unreachable", "connect")


async def test_half_a_file_forbids() -> None:
    async def breaks(writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 X\r\nContent-Length: 999\r\n\r\nUser-agent: *\nAllow: /\n")
        await writer.drain()

    decision, _ = await decided({"/robots.txt": breaks})
    assert (decision.allowed, decision.state) == (False, "unreachable")


async def test_a_file_past_the_limit_is_cut() -> None:
    long = "User-agent: *\nDisallow: /no\n" + "#" * 600_000 + "\nDisallow: /late\n"
    decision, _ = await decided({"/robots.txt": long})
    assert (decision.allowed, decision.state) == (False, "rules")
    late, _ = await decided({"/robots.txt": long}, "/late")
    assert late.allowed


async def test_what_may_not_be_opened_is_not_asked_about() -> None:
    async with serve({"/robots.txt": NO}) as site, robots_of() as robots:
        with pytest.raises(BlockedAddress):
            await robots.allowed(site.url("/"))
        with pytest.raises(InvalidUrl):
            await robots.allowed("ftp://a.example/")
    assert site.seen == []


async def test_an_origin_is_asked_once_whoever_asks() -> None:
    async with serve({"/robots.txt": NO}) as site, robots_of(site) as robots:
        urls = [site.url(f"/{at}") for at in range(20)]
        decisions = await asyncio.gather(*map(robots.allowed, urls))
        assert all(decision.allowed for decision in decisions)
        assert len(site.seen) == 1


async def test_whoever_leaves_takes_nothing_from_the_others() -> None:
    async with serve({"/robots.txt": NO}) as site, robots_of(site) as robots:
        leaving = asyncio.create_task(robots.allowed(site.url("/no")))
        staying = asyncio.create_task(robots.allowed(site.url("/no")))
        await asyncio.sleep(0)
        leaving.cancel()
        assert not (await staying).allowed
        assert leaving.cancelled() or await asyncio.gather(leaving, return_exceptions=True)
    assert len(site.seen) == 1


async def test_the_origin_kept_longest_unused_is_forgotten_first() -> None:
    async with (
        serve({"/robots.txt": NO}) as a,
        serve({}) as b,
        robots_of(a, b, origins=1) as robots,
    ):
        for site in (a, a, b, a):
            await robots.allowed(site.url("/"))
        assert (len(a.seen), len(b.seen)) == (2, 1)


@pytest.mark.parametrize(
    ("control", "asked"), [("max-age=0", 2), ("no-store", 2), ("max-age=3600", 1), ("", 1)]
)
async def test_a_file_is_kept_as_long_as_it_says_within_limits(control: str, asked: int) -> None:
    routes: Routes = {"/robots.txt": Answer(NO, headers={"Cache-Control": control})}
    async with serve(routes) as site, robots_of(site, least_holds_s=0) as robots:
        for _ in range(2):
            await robots.allowed(site.url("/no"))
        assert len(site.seen) == asked
    async with serve(routes) as site, robots_of(site, holds_s=0, least_holds_s=0) as robots:
        for _ in range(2):
            await robots.allowed(site.url("/no"))
        assert len(site.seen) == 2


async def test_the_last_copy_is_used_while_the_file_cannot_be_reached() -> None:
    clock, wanted = Clock(), {"least_holds_s": 0.0, "holds_s": 0.0, "retry_s": 0.0}
    async with serve({"/robots.txt": NO}) as site, robots_of(site, clock=clock, **wanted) as robots:
        assert (await robots.allowed(site.url("/yes"))).allowed
        site.routes["/robots.txt"] = Answer("", 503)
        clock.now += timedelta(days=29)
        kept = await robots.allowed(site.url("/yes"))
        assert (kept.allowed, kept.state, kept.error) == (True, "rules", "http_protocol")
        assert not (await robots.allowed(site.url("/no"))).allowed
        clock.now += timedelta(days=2)
        late = await robots.allowed(site.url("/yes"))
        assert (late.allowed, late.state) == (False, "unreachable")
        site.routes["/robots.txt"] = Answer("", 404)
        assert (await robots.allowed(site.url("/no"))).allowed


@pytest.mark.parametrize(
    "wrong", [{"agent": "Page fold"}, {"agent": "Pagefold/1"}, {"agent": ""}, {"max_bytes": 1000}]
)
def test_settings_that_the_standard_excludes_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        RobotsRules(**wrong)  # type: ignore[arg-type]
