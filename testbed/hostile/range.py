"""Everything that a run needs inside its namespace: servers, names, the wire and the extractor."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from extractor import Extractor
from extractor.egress.resolve import is_own
from extractor.settings import ExtractorSettings
from testbed import netns
from testbed.hostile.forms import wrapped_addresses
from testbed.hostile.names import OTHER_SITE, PUBLIC_SITE, NameServer
from testbed.hostile.site import FAKE_PORTS, SECURE_PORT, Servers, honest_site, hostile_site
from testbed.hostile.sniffer import Sniffer

#: Asked for on each page beside the hostile addresses: that one arrives shows that the route is one.
CONTROLS = (
    "http://other.test/seen/{route}",
    f"http://localhost:{SECURE_PORT}/seen/{{route}}",
)


@dataclass(frozen=True, slots=True)
class Range:
    """What runs; the sniffer's counts are complete once ``shooting_range`` has ended."""

    urls: tuple[str, ...]
    extractor: Extractor
    servers: Servers
    names: NameServer
    sniffer: Sniffer


def range_settings(folder: Path, **values: object) -> ExtractorSettings:
    """Settings with WebSockets judged rather than cut, much of everything, and one exception."""
    return ExtractorSettings.model_validate(
        {
            "data_dir": folder,
            "allow_hosts": [f"localhost:{SECURE_PORT}"],
            "allow_websockets": True,
            "max_requests": 20_000,
            "max_workers": 1_000,
            "max_popups": 1_000,
            "deadline_s": 120,
            **values,
        }
    )


@contextlib.asynccontextmanager
async def shooting_range(settings: ExtractorSettings, urls: Sequence[str]) -> AsyncIterator[Range]:
    """Start it all; the hostile site's pages try ``urls``.

    Raises:
        testbed.netns.NamespaceError: this is no namespace of our own.
    """
    if not netns.inside():
        raise netns.NamespaceError("hostile pages are opened in a namespace of our own only")
    inner = [str(each) for each in wrapped_addresses()]
    for number, address in enumerate(wrapped_addresses(), start=1):
        with contextlib.suppress(FileExistsError):
            netns.add_address(address, f"lo:w{number}")
    # The kernel takes a moment to make a new IPv6 address usable.
    async with asyncio.timeout(10):
        while not all(map(is_own, inner)):
            await asyncio.sleep(0.05)
    servers = Servers()
    site = hostile_site(CONTROLS, urls, servers.seen)
    try:
        await servers.serve(PUBLIC_SITE, 80, site)
        await servers.serve("127.0.0.1", SECURE_PORT, site)
        await servers.serve(OTHER_SITE, 80, honest_site)
        for host in dict.fromkeys([*netns.FORBIDDEN, "127.0.0.1", "::1", *inner]):
            await servers.fake(host)
        with Sniffer(netns.PUBLIC, FAKE_PORTS) as sniffer:
            async with NameServer() as names, Extractor(settings) as extractor:
                yield Range(tuple(urls), extractor, servers, names, sniffer)
    finally:
        await servers.close()
