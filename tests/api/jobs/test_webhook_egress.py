"""Webhooks whose names lie: judged when the job is made, judged again at every try, never followed."""

from __future__ import annotations

import asyncio

import pytest

from api.jobs.webhooks import Answer, Message, judge_webhook, send
from extractor.errors import BlockedAddress, DnsError
from extractor.settings import ExtractorSettings
from testbed.hostile.names import OTHER_SITE, PUBLIC_SITE, Script
from tests.api.jobs.conftest import SECRET
from tests.security.test_egress_dns import Network, network

pytestmark = pytest.mark.hostile

SETTINGS = ExtractorSettings(dns_timeout_s=1)


async def sent(net: Network, url: str) -> Answer:
    message = Message("msg_1", url, SECRET, b"{}")
    return await send(message, net.proxy, SETTINGS, 10)


@pytest.mark.parametrize(
    "script",
    [
        Script((("169.254.169.254",),)),
        Script((("127.0.0.1",),)),
        Script((("fd00:ec2::254",),)),
        Script(((OTHER_SITE, "10.1.2.3"),)),
        Script((("10.1.2.3",),), alias="inner.test"),
    ],
)
async def test_a_name_that_leads_inside_is_refused_at_creation_and_at_each_try(
    script: Script,
) -> None:
    async with network(hook=script) as net:
        with pytest.raises(BlockedAddress):
            await judge_webhook("http://hook.test/", SETTINGS)
        assert await sent(net, "http://hook.test/") == Answer(code="blocked_address")
        assert await sent(net, "https://hook.test/") == Answer(code="blocked_address")


async def test_a_name_that_changes_its_mind_gets_nothing() -> None:
    script = Script(((PUBLIC_SITE,), (PUBLIC_SITE,), ("169.254.169.254",)))
    async with network(hook=script) as net:
        url = await judge_webhook("http://hook.test/", SETTINGS)
        first = await sent(net, url)
        assert first.delivered
        second = await sent(net, url)
        assert second == Answer(code="blocked_address")
        assert second.final


async def test_a_name_that_is_unknown_or_silent_is_said_to_be() -> None:
    async with network(hook=Script(silent=True)) as net:
        for host in ("hook.test", "nobody.test"):
            with pytest.raises(DnsError):
                await judge_webhook(f"http://{host}/", SETTINGS)
            answer = await sent(net, f"http://{host}/")
            assert (answer.status, answer.code, answer.final) == (None, "dns", False)


async def test_tries_that_are_cut_off_leave_nothing_open() -> None:
    async with network(hook=Script(silent=True)) as net:
        trying = asyncio.create_task(sent(net, "http://hook.test/"))
        await asyncio.sleep(0.05)
        trying.cancel()
        await asyncio.gather(trying, return_exceptions=True)
        again = await sent(net, f"http://{PUBLIC_SITE}/")
        assert again.delivered
