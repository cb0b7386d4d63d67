"""Where the page itself leads to a forbidden address: one typed error, and nothing of the proxy's answer."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import quote

import pytest
import pytest_asyncio

from extractor import PageRequest
from extractor.errors import BlockedAddress, ExtractorError
from testbed.hostile.range import Range, range_settings, shooting_range
from testbed.hostile.routes import TOP_LEVEL

#: What callers are told, whatever the reason was.
BLOCKED = (
    "The address may not be opened by this service. "
    "Whoever runs it can let a host:port in by PAGEFOLD_ALLOW_HOSTS."
)

pytestmark = [pytest.mark.hostile, pytest.mark.timeout(240)]

TARGETS = [
    "http://169.254.169.254/latest/meta-data/",
    "https://169.254.169.254/",
    "http://10.1.2.3:8080/",
    "http://0x0a010203/",
    "http://[fd00:ec2::254]/",
    "http://localhost:8080/",
    "http://meta.test/",
    "http://mixed.test/",
]


@pytest_asyncio.fixture
async def site(tmp_path: Path) -> AsyncIterator[Range]:
    settings = range_settings(tmp_path, deadline_s=30, settle_cap_s=2)
    async with shooting_range(settings, []) as running:
        yield running
    assert not running.sniffer.unexpected
    assert not running.servers.hits


async def failure(site: Range, url: str, render: str) -> ExtractorError:
    with pytest.raises(ExtractorError) as caught:
        await site.extractor.extract(PageRequest.model_validate({"url": url, "render": render}))
    return caught.value


@pytest.mark.parametrize("way", [name for name in TOP_LEVEL if name != "top-redirect"])
async def test_a_page_that_moves_on_to_a_forbidden_address_is_blocked(
    site: Range, way: str
) -> None:
    for target in TARGETS[1::3]:
        url = f"http://public.test{TOP_LEVEL[way]}{quote(target, safe='')}"
        error = await failure(site, url, "browser")
        assert isinstance(error, BlockedAddress), (target, error)
        assert error.message == BLOCKED


@pytest.mark.parametrize("render", ["browser", "static", "auto"])
async def test_a_redirect_to_a_forbidden_address_is_blocked(site: Range, render: str) -> None:
    for target in TARGETS:
        url = f"http://public.test/redirect?status=302&u={quote(target, safe='')}"
        error = await failure(site, url, render)
        assert isinstance(error, BlockedAddress), (target, error)
        assert error.message == BLOCKED


async def test_a_redirect_to_another_scheme_reads_no_file(site: Range) -> None:
    for target in ("file:///etc/hostname", "view-source:file:///etc/hostname", "chrome://version"):
        for status in (301, 302, 303, 307, 308):
            url = f"http://public.test/redirect?status={status}&u={quote(target, safe='')}"
            for render in ("browser", "static"):
                assert (await failure(site, url, render)).code in (
                    "blocked_address",
                    "http_protocol",
                    "connect",
                )


async def test_a_blocked_frame_shows_nothing_of_the_refusal(site: Range) -> None:
    request = {
        "url": "http://public.test/page/frame?alone=1",
        "wait": {"selector": "#done"},
        "format": ["text"],
    }
    page = await site.extractor.extract(PageRequest.model_validate(request))
    assert "All routes were tried." in page.content["text"]
    assert "Refused" not in page.content["text"]
