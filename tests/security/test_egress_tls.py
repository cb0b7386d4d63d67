"""Bad certificates end in a typed error by both ways; TLS for pages passes the proxy, WebSockets do not."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.async_api import ProxySettings, async_playwright

from extractor import Extractor, PageRequest
from extractor.browser.discover import find_chromium
from extractor.browser.launch import NO_BYPASS
from extractor.egress import fetch as fetching
from extractor.egress.proxy import EgressProxy
from extractor.errors import TlsError
from extractor.settings import ExtractorSettings
from tests.security import certificates
from tests.security.proxying import limits

BAD = [
    certificates.untrusted,
    certificates.wrong_host,
    certificates.expired,
    certificates.outdated,
]
MAKES = pytest.mark.parametrize("make", BAD, ids=lambda make: make.__name__)


@pytest.fixture
def trusted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """The test's authority among those that the machine trusts."""
    bundle = tmp_path / "authorities.pem"
    certificates.AUTHORITY.cert_pem.write_to_path(str(bundle))
    places = ssl.get_default_verify_paths()._replace(openssl_cafile=str(bundle), openssl_capath="")
    monkeypatch.setattr(ssl, "get_default_verify_paths", lambda: places)
    fetching._tls_context.cache_clear()
    yield
    fetching._tls_context.cache_clear()


async def fetched(port: int) -> bytes:
    settings = limits(f"127.0.0.1:{port}")
    async with EgressProxy(settings) as proxy:
        deadline = asyncio.get_running_loop().time() + 10
        url = f"https://127.0.0.1:{port}/"
        answer = await fetching.fetch(url, settings=settings, proxy=proxy, deadline=deadline)
    return answer.body


@pytest.mark.usefixtures("trusted")
async def test_the_fetcher_takes_a_good_certificate() -> None:
    async with certificates.tls_server(certificates.good(), []) as port:
        assert await fetched(port) == certificates.BODY


@MAKES
@pytest.mark.usefixtures("trusted")
async def test_the_fetcher_takes_no_bad_certificate(make: Callable[[], ssl.SSLContext]) -> None:
    seen: list[bytes] = []
    async with certificates.tls_server(make(), seen) as port:
        with pytest.raises(TlsError) as caught:
            await fetched(port)
    assert caught.value.code == "tls"
    assert not caught.value.retryable
    assert not seen


async def test_the_browser_takes_no_bad_certificate(tmp_path: Path) -> None:
    seen: list[bytes] = []
    for make in BAD:
        async with certificates.tls_server(make(), seen) as port:
            settings = ExtractorSettings(
                data_dir=tmp_path, concurrency=1, allow_hosts=(f"127.0.0.1:{port}",)
            )
            async with Extractor(settings) as extractor:
                with pytest.raises(TlsError):
                    await extractor.extract(PageRequest(url=f"https://127.0.0.1:{port}/"))
    assert not seen


@pytest.mark.parametrize("allowed", [False, True])
async def test_a_browsers_tls_passes_and_its_websockets_only_when_allowed(allowed: bool) -> None:
    seen: list[bytes] = []
    body = b"""<p id=p>Over TLS.</p><script>
        const socket = new WebSocket(`wss://${location.host}/socket`);
        socket.onerror = () => { p.textContent = "socket failed"; };
    </script>"""
    async with certificates.tls_server(certificates.good(), seen, body) as port:
        settings = limits(f"127.0.0.1:{port}", allow_websockets=allowed)
        async with EgressProxy(settings) as proxy, async_playwright() as playwright:
            record = proxy.register("k")
            user, password = proxy.credentials("k")
            browser = await playwright.chromium.launch(
                executable_path=find_chromium(None).path, args=["--no-sandbox"]
            )
            # The certificate is not the matter here.
            context = await browser.new_context(
                ignore_https_errors=True,
                proxy=ProxySettings(
                    server=proxy.url, bypass=NO_BYPASS, username=user, password=password
                ),
            )
            page = await context.new_page()
            await page.goto(f"https://127.0.0.1:{port}/")
            await page.wait_for_function("p.textContent === 'socket failed'")
            await browser.close()
    sockets = [request for request in seen if request.startswith(b"GET /socket ")]
    assert seen[0].startswith(b"GET / ")
    assert len(sockets) == int(allowed)
    assert bool(record.websockets) is not allowed
