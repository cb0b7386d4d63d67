"""Hostile pages, one for each route that a page has: not a packet reaches a host that is not public."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Sequence
from pathlib import Path

import pytest

from extractor import PageRequest
from testbed import netns
from testbed.egress import all_routes, control_packets
from testbed.hostile.forms import hostile_urls
from testbed.hostile.measure import Row, measure
from testbed.hostile.range import Range, range_settings, shooting_range
from testbed.hostile.routes import FETCHER, FRAMES, NEVER, SECURE, TOP_LEVEL
from testbed.hostile.site import FAKE_PORTS, SECURE_PORT, Servers
from testbed.hostile.sniffer import Sniffer

pytestmark = [pytest.mark.hostile, pytest.mark.timeout(240)]

PAGES = [route for route in all_routes() if route not in (*FETCHER, *TOP_LEVEL, *FRAMES)]


async def tried(
    folder: Path, routes: Sequence[str], urls: Sequence[str]
) -> tuple[Range, list[Row]]:
    """All routes, four at a time; the range has ended, so what it counted is complete."""
    settings = range_settings(folder, concurrency=4, queue_size=len(routes))
    places = asyncio.Semaphore(4)

    async def one(site: Range, route: str) -> Row:
        async with places:
            return await measure(site, route)

    async with shooting_range(settings, urls) as site:
        rows = await asyncio.gather(*(one(site, route) for route in routes))
    return site, rows


def done(route: str) -> PageRequest:
    """A request for a route's page that waits until all was tried."""
    host = f"localhost:{SECURE_PORT}" if route in SECURE else "public.test"
    url = f"http://{host}/page/{route}"
    return PageRequest.model_validate({"url": url, "wait": {"selector": "#done"}})


def check(site: Range, rows: list[Row]) -> None:
    assert not site.sniffer.unexpected
    assert not site.servers.hits
    assert (site.sniffer.lost, site.sniffer.seen > 1000) == (0, True)
    assert [row.route for row in rows if not row.read] == []
    # A public address by the same route arrives, or the zero above would mean nothing.
    assert [row.route for row in rows if not row.control and row.route not in NEVER] == []
    assert [row.route for row in rows if row.control and row.route in NEVER] == []


def test_the_sniffer_counts_what_is_sent_on_purpose() -> None:
    # A datagram for each address, and the first packet of a connection.
    assert control_packets() >= 2 * len(netns.FORBIDDEN)


def test_the_sniffer_counts_name_lookups_past_the_stub_and_shut_ports_of_loopback() -> None:
    with Sniffer(netns.PUBLIC, FAKE_PORTS) as sniffer, socket.socket() as stream:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as datagram:
            datagram.sendto(b"x", (netns.PUBLIC[0], 53))
            datagram.sendto(b"x", ("127.0.0.1", 443))
        stream.connect_ex(("127.0.0.1", 8080))
    counted = {"93.184.215.14 udp/53", "127.0.0.1 udp/443", "127.0.0.1 tcp/8080"}
    assert counted <= set(sniffer.unexpected)


async def test_the_fakes_answer_whoever_reaches_them() -> None:
    servers = Servers()
    await servers.fake("169.254.169.254")
    try:
        reader, writer = await asyncio.open_connection("169.254.169.254", 80)
        assert (await reader.read()).endswith(b"secret")
        writer.close()
    finally:
        await servers.close()
    assert servers.hits == {"169.254.169.254:80": 1}


async def test_no_route_of_a_page_leads_to_a_forbidden_address(tmp_path: Path) -> None:
    urls = hostile_urls()
    assert len(urls) > 120
    check(*await tried(tmp_path, PAGES, urls))


async def test_no_frame_leads_to_a_forbidden_address(tmp_path: Path) -> None:
    # A frame for each address is slow, so every fifth here; ``testbed.egress`` tries them all.
    check(*await tried(tmp_path, sorted(FRAMES), hostile_urls()[::5]))


async def test_neither_the_main_frame_nor_the_fetcher_follows_to_a_forbidden_address(
    tmp_path: Path,
) -> None:
    check(*await tried(tmp_path, FETCHER, hostile_urls()))
    check(*await tried(tmp_path, list(TOP_LEVEL), hostile_urls()[::12]))


async def test_a_page_is_read_although_parts_of_it_are_blocked(tmp_path: Path) -> None:
    async with shooting_range(
        range_settings(tmp_path), ["http://inner.test/", "http://[::1]/"]
    ) as site:
        page = await site.extractor.extract(
            PageRequest(url="http://public.test/page/image", block=(), format=("text",))
        )
    blocked = {each.text for each in page.warnings if each.code == "blocked_host"}
    assert {"inner.test", "::1"} <= blocked
    assert page.complete


async def test_a_service_worker_is_never_fetched(tmp_path: Path) -> None:
    async with shooting_range(range_settings(tmp_path), []) as site:
        await site.extractor.extract(done("service-worker"))
    assert site.servers.seen["/page/service-worker"] == 1
    assert site.servers.seen["/leaf/service-worker.js"] == 0


async def test_websockets_of_pages_frames_and_workers_are_off_by_default(tmp_path: Path) -> None:
    settings = range_settings(tmp_path, allow_websockets=False, concurrency=3)
    routes = ("websocket", "websocket-frame", "websocket-worker")
    async with shooting_range(settings, []) as site:
        requests = [done(f"{route}?alone=1") for route in routes]
        pages = await asyncio.gather(*map(site.extractor.extract, requests))
    for page in pages:
        refused = {each.text for each in page.warnings if each.code == "blocked_websocket"}
        assert refused == {"other.test", "localhost"}
    assert not [route for route in routes if site.servers.seen[f"/seen/{route}"]]


async def test_the_browser_asks_no_name_server(tmp_path: Path) -> None:
    asked: list[str] = []

    settings = range_settings(tmp_path)
    urls = [f"http://n{number}.public.test/" for number in range(20)]
    async with shooting_range(settings, urls) as site:
        resolve = site.extractor.proxy._dialler._resolver

        async def counted(host: str) -> list[str]:
            asked.append(host)
            return await resolve(host)

        site.extractor.proxy._dialler._resolver = counted
        for route in ("preconnect", "image", "webtransport", "webrtc"):
            await measure(site, route)
    assert len(asked) > 20
    # Each lookup of the proxy asks for IPv4 once: a question more would be the browser's own.
    assert site.names.asked.total() == len([host for host in asked if host != "localhost"])
