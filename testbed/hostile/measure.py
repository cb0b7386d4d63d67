"""Tries every address by one route and counts what reaches hosts that must not be reached."""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import dataclass
from urllib.parse import quote

from playwright.async_api import BrowserContext, Error

from extractor import PageRequest
from extractor.egress.fetch import fetch
from extractor.errors import BlockedAddress, DnsError, ExtractorError, HttpProtocolError, InvalidUrl
from testbed.hostile.range import CONTROLS, Range
from testbed.hostile.routes import FETCHER, FRAMES, PART, SECURE, TOP_LEVEL
from testbed.hostile.site import SECURE_PORT

_TABS = 8
_TAB_S = 3.0
#: A document that goes on to another does so at once; longer than that and it never will.
_LEAVES_S = 0.4


@dataclass(frozen=True, slots=True)
class Row:
    """What one route came to.

    Attributes:
        forms: addresses that were tried.
        blocked: distinct hosts that were reported as blocked, or fetches that were refused.
        control: requests for a public address by the same route that arrived.
        packets: packets to anything that is not public, all ports and protocols.
        hits: connections that fakes accepted.
        read: whether the page was read all the same.
    """

    route: str
    forms: int
    blocked: int
    control: int
    packets: int
    hits: int
    read: bool


async def measure(site: Range, route: str) -> Row:
    """One route with every address; packets of routes that run at the same time count for each."""
    packets, hits = site.sniffer.unexpected.total(), site.servers.hits.total()
    if route in FETCHER:
        blocked, read = await _by_fetcher(site, route), True
    elif route in TOP_LEVEL:
        blocked, read = await _by_top_level(site, route), True
    else:
        blocked, read = await _by_page(site, route)
    return Row(
        route=route,
        forms=len(site.urls),
        blocked=blocked,
        control=site.servers.seen[f"/seen/{route}"],
        packets=site.sniffer.unexpected.total() - packets,
        hits=site.servers.hits.total() - hits,
        read=read,
    )


async def _by_page(site: Range, route: str) -> tuple[int, bool]:
    size = PART if route in FRAMES or route == "popup" else len(site.urls) or 1
    blocked: set[str] = set()
    read = True
    for start in range(0, len(site.urls) or 1, size):
        hosts, whole = await _read_part(site, route, start, start + size)
        blocked |= hosts
        read = read and whole
    return len(blocked), read


async def _read_part(site: Range, route: str, start: int, end: int) -> tuple[set[str], bool]:
    host = f"localhost:{SECURE_PORT}" if route in SECURE else "public.test"
    request = PageRequest.model_validate(
        {
            "url": f"http://{host}/page/{route}?from={start}&to={end}",
            "wait": {"selector": "#done"},
            "block": [],
            "unfold": False,
            "format": ["text"],
        }
    )
    try:
        page = await site.extractor.extract(request)
    except ExtractorError:
        return set(), False
    blocked = {each.text for each in page.warnings if each.code == "blocked_host"}
    return blocked, "All routes were tried" in page.content["text"]


async def _by_fetcher(site: Range, route: str) -> int:
    refused = 0
    for url in _with_controls(site, route):
        moved = f"http://public.test/redirect?status=302&u={quote(url, safe='')}"
        try:
            await fetch(
                url if route == "fetcher" else moved,
                settings=site.extractor.settings,
                proxy=site.extractor.proxy,
                deadline=asyncio.get_running_loop().time() + 10,
            )
        except (BlockedAddress, InvalidUrl, DnsError, HttpProtocolError):
            refused += 1
    return refused


async def _by_top_level(site: Range, route: str) -> int:
    extractor, key = site.extractor, f"range-{route}"
    record = extractor.proxy.register(key)
    waiting = [
        f"http://public.test{TOP_LEVEL[route]}{quote(url, safe='')}"
        for url in _with_controls(site, route)
    ]
    try:
        deadline = asyncio.get_running_loop().time() + extractor.settings.deadline_s
        async with extractor.pool.lease(key, {}, deadline=deadline) as lease:
            await asyncio.gather(*(_open_all(lease.context, waiting) for _ in range(_TABS)))
    finally:
        await extractor.proxy.forget(key)
    return len({host for host, _ in record.blocked})


async def _open_all(context: BrowserContext, waiting: list[str]) -> None:
    while waiting:
        url = waiting.pop()
        page = await context.new_page()
        # What the main frame is sent to may leave a tab that no longer answers.
        with contextlib.suppress(Error, TimeoutError):
            async with asyncio.timeout(_TAB_S):
                await page.goto(url)
                await asyncio.sleep(_LEAVES_S)
        with contextlib.suppress(Error, TimeoutError):
            async with asyncio.timeout(_TAB_S):
                await page.close()


def _with_controls(site: Range, route: str) -> list[str]:
    return [each.replace("{route}", route) for each in (*CONTROLS, *site.urls)]
