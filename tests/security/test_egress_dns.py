"""Names that lie: rebinding, mixed answers, aliases, silence. Against a scripted name server on port 53."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from extractor.egress.fetch import Fetched, fetch
from extractor.egress.proxy import EgressProxy
from extractor.errors import BlockedAddress, DnsError
from extractor.settings import ExtractorSettings
from testbed import netns
from testbed.hostile.names import OTHER_SITE, PUBLIC_SITE, PUBLIC_SIX, NameServer, Script
from testbed.hostile.site import FAKE_PORTS, Servers, honest_site
from testbed.hostile.sniffer import Sniffer

pytestmark = pytest.mark.hostile

SETTINGS = ExtractorSettings(dns_timeout_s=1)


class Network:
    """Public servers, fakes, names and a proxy; ``get`` fetches without a browser."""

    def __init__(self, proxy: EgressProxy, servers: Servers, names: NameServer) -> None:
        self.proxy, self.servers, self.names = proxy, servers, names

    async def get(self, host: str, settings: ExtractorSettings = SETTINGS) -> Fetched:
        deadline = asyncio.get_running_loop().time() + 20
        url = f"http://{host}/"
        return await fetch(url, settings=settings, proxy=self.proxy, deadline=deadline)


@asynccontextmanager
async def network(settings: ExtractorSettings = SETTINGS, **zone: Script) -> AsyncIterator[Network]:
    servers = Servers()
    for host in (PUBLIC_SITE, OTHER_SITE, PUBLIC_SIX):
        await servers.serve(host, 80, honest_site)
    for host in (*netns.FORBIDDEN, "127.0.0.1", "::1"):
        await servers.fake(host)
    named = {f"{name}.test": script for name, script in zone.items()}
    try:
        with Sniffer(netns.PUBLIC, FAKE_PORTS) as sniffer:
            async with NameServer(named) as names, EgressProxy(settings) as proxy:
                yield Network(proxy, servers, names)
        assert not sniffer.unexpected
        assert not servers.hits
    finally:
        await servers.close()


@pytest.mark.parametrize("address", [PUBLIC_SITE, PUBLIC_SIX])
async def test_public_answers_of_either_family_are_dialled(address: str) -> None:
    async with network(a=Script(((address,),))) as net:
        assert (await net.get("a.test")).status == 200
        assert net.names.asked == {"a.test": 1}


@pytest.mark.parametrize(
    "script",
    [
        Script((("169.254.169.254",),)),
        Script((("127.0.0.1",),)),
        Script((("fd00:ec2::254",),)),
        Script((("::1",),)),
        Script((("::ffff:10.1.2.3",),)),
        Script(((OTHER_SITE, "10.1.2.3"),)),
        Script((("10.1.2.3", OTHER_SITE),)),
        Script(((OTHER_SITE, "fd00:ec2::254"),)),
        Script(((PUBLIC_SIX, "192.168.7.7"),)),
        Script((("169.254.169.254",),), alias="meta.test"),
        Script(((OTHER_SITE, "100.100.100.200"),), alias="public.test", ttl_s=3600),
    ],
)
async def test_one_bad_answer_refuses_the_name(script: Script) -> None:
    async with network(a=script) as net:
        with pytest.raises(BlockedAddress) as caught:
            await net.get("a.test")
        assert net.names.asked == {"a.test": 1}
    assert "10.1.2.3" not in caught.value.message


async def test_a_name_that_changes_its_mind_gains_nothing() -> None:
    turns = ((OTHER_SITE,), ("169.254.169.254",), (OTHER_SITE,), ("127.0.0.1",))
    async with network(a=Script(turns)) as net:
        assert (await net.get("a.test")).status == 200
        # The answer of the first connection was dialled though another one was ready.
        assert net.names.asked == {"a.test": 1}
        with pytest.raises(BlockedAddress):
            await net.get("a.test")
        assert (await net.get("a.test")).status == 200
        with pytest.raises(BlockedAddress):
            await net.get("a.test")
        assert net.names.asked == {"a.test": 4}


async def test_an_unknown_name_is_no_blocked_address() -> None:
    async with network() as net:
        with pytest.raises(DnsError):
            await net.get("gone.test")


async def test_a_silent_name_server_ends_one_lookup_and_stalls_no_other() -> None:
    # The system itself would wait longer than the setting says.
    settings = ExtractorSettings(dns_timeout_s=0.3)
    async with network(settings, dead=Script(silent=True), a=Script(((PUBLIC_SITE,),))) as net:
        loop = asyncio.get_running_loop()
        dead = [asyncio.create_task(net.get("dead.test")) for _ in range(20)]
        while not net.names.asked["dead.test"]:
            await asyncio.sleep(0.01)
        assert (await net.get("a.test")).status == 200
        assert not any(task.done() and task.exception() is None for task in dead)
        started = loop.time()
        answers = await asyncio.gather(*dead, return_exceptions=True)
        assert loop.time() - started < 10
    assert all(isinstance(answer, DnsError) for answer in answers)


async def test_a_page_full_of_dead_names_leaves_lookups_for_the_others() -> None:
    settings = ExtractorSettings(dns_timeout_s=5, max_lookups=6, max_page_lookups=4)
    zone = {"dead": Script(silent=True), "a": Script(((PUBLIC_SITE,),))}
    async with network(settings, **zone) as net:
        net.proxy.register("greedy")
        record = net.proxy.record("greedy")
        dialler = net.proxy._dialler
        greedy = [asyncio.create_task(dialler._resolve("dead.test", record)) for _ in range(40)]
        while not net.names.asked["dead.test"]:
            await asyncio.sleep(0.01)
        assert len(dialler._lookups) == 4
        assert (await net.get("a.test", settings)).status == 200
        for task in greedy:
            task.cancel()
        await asyncio.gather(*greedy, return_exceptions=True)
        await net.proxy.forget("greedy")
