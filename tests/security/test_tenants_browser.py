"""Nothing that one tenant's page leaves in the browser is there for another's, before or beside it."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import ssl
import stat
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
import trustme
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from extractor import Extractor, PageRequest
from extractor.browser.discover import find_chromium
from extractor.browser.supervisor import BrowserPool
from extractor.egress.proxy import EgressProxy
from extractor.errors import ExtractorError, NotFound
from extractor.settings import ExtractorSettings
from tests.browser.site import Answer, Site, serve

pytestmark = [pytest.mark.hostile, pytest.mark.asyncio(loop_scope="module")]

#: Leaves a mark wherever a page can, or says what marks it finds.
_PAGE = """<title>marks</title><p>Low water at four.<pre id=out></pre>
<script src="/cached.js"></script><script>
const found = {}
const database = () => new Promise((done, fail) => {
  const asked = indexedDB.open("marks", 1)
  asked.onupgradeneeded = () => asked.result.createObjectStore("marks")
  asked.onsuccess = () => done(asked.result)
  asked.onerror = fail
})
const settled = asked => new Promise((done, fail) => {
  asked.onsuccess = () => done(asked.result)
  asked.onerror = fail
})
async function look() {
  found.cookie = document.cookie
  found.local = localStorage.getItem("mark")
  found.session = sessionStorage.getItem("mark")
  found.name = window.name
  found.caches = await caches.keys()
  const all = await database()
  found.indexed = await settled(all.transaction("marks").objectStore("marks").get("mark")) ?? null
  found.workers = (await navigator.serviceWorker.getRegistrations()).length
  found.files = []
  for await (const name of (await navigator.storage.getDirectory()).keys()) found.files.push(name)
  found.heard = await new Promise(done => {
    const channel = new BroadcastChannel("marks")
    channel.onmessage = event => done(event.data)
    addEventListener("storage", event => done(event.key))
    channel.postMessage("mark")
    setTimeout(() => done(null), WAIT)
  })
}
async function leave() {
  document.cookie = "mark=1; max-age=999"
  localStorage.setItem("mark", "1")
  sessionStorage.setItem("mark", "1")
  window.name = "mark"
  await caches.open("mark")
  const all = await database()
  await settled(all.transaction("marks", "readwrite").objectStore("marks").put(1, "mark"))
  await (await navigator.storage.getDirectory()).getFileHandle("mark", {create: true})
  await navigator.serviceWorker.register("/sw.js").catch(() => 0)
  new SharedWorker("/shared.js")
}
const say = error => { out.textContent = "found " + JSON.stringify({...found, error: String(error)}) }
(async () => { await look(); await leave(); await look2() })().then(() => say(""), say)
async function look2() {
  found.after = {cookie: document.cookie, local: localStorage.getItem("mark")}
}
</script>"""
NOTHING = {
    "cookie": "", "local": None, "session": None, "name": "", "caches": [], "indexed": None,
    "workers": 0, "files": [], "heard": None,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Browser:
    extractor: Extractor
    site: Site

    async def marks(self, tenant: str, path: str = "/marks", **wish: Any) -> dict[str, Any]:
        """What the page found before it left marks of its own."""
        drawn = {"selector": "#out:not(:empty)"}
        wanted = PageRequest(url=self.site.url(path), format="text", wait=drawn, **wish)
        page = await self.extractor.extract(wanted, tenant=tenant)
        found: dict[str, Any] = json.loads(page.content["text"].partition("found ")[2])
        assert found.pop("error") == ""
        assert found.pop("after") == {"cookie": "mark=1", "local": "1"}
        return found

    def requests(self, path: str) -> list[dict[str, str]]:
        return [headers for target, headers in self.site.seen if target == path]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Browser]:
    cached = {"Cache-Control": "public, max-age=9999, immutable", "ETag": '"mark"'}
    async with AsyncExitStack() as stack:
        site = await stack.enter_async_context(serve({}))
        script = Answer("1", 200, {"Content-Type": "text/javascript", **cached})
        site.routes |= {
            "/marks": Answer(_PAGE.replace("WAIT", "100"), 200, {"Set-Cookie": "seen=1; HttpOnly"}),
            "/slow": Answer(_PAGE.replace("WAIT", "2500"), 200, {"Set-Cookie": "seen=1; HttpOnly"}),
            "/cached.js": script,
            "/sw.js": script,
            "/shared.js": script,
            "/tagged": Answer("<p>Low water at four.", 200, {"ETag": '"mark"', **cached}),
            "/private": Answer("<p>Who?", 401, {"WWW-Authenticate": 'Basic realm="r"'}),
        }
        settings = ExtractorSettings(
            data_dir=tmp_path_factory.mktemp("data"),
            allow_hosts=(f"127.0.0.1:{site.port}",),
            concurrency=2,
        )
        extractor = await stack.enter_async_context(Extractor(settings))
        yield Browser(extractor, site)


async def test_no_store_of_the_browser_is_shared(browser: Browser) -> None:
    for tenant in ("acme", "zenith", "acme", "zenith"):
        browser.site.seen.clear()
        assert await browser.marks(tenant) == NOTHING
        [opened] = browser.requests("/marks")
        assert "cookie" not in opened
        [script] = browser.requests("/cached.js")
        assert not {"if-none-match", "if-modified-since"} & script.keys()
        assert browser.requests("/sw.js") == []


async def test_two_pages_that_are_open_at_once_hear_nothing_of_each_other(browser: Browser) -> None:
    browser.site.seen.clear()
    found = await asyncio.gather(browser.marks("acme", "/slow"), browser.marks("zenith", "/slow"))
    assert found == [NOTHING, NOTHING]
    assert len(browser.requests("/cached.js")) == 2


async def test_an_entity_tag_of_one_is_not_asked_for_by_another(browser: Browser) -> None:
    for render in ("browser", "static"):
        browser.site.seen.clear()
        for tenant in ("acme", "zenith", "acme"):
            wanted = PageRequest(url=browser.site.url("/tagged"), render=render)
            await browser.extractor.extract(wanted, tenant=tenant)
        seen = browser.requests("/tagged")
        assert len(seen) == 3
        assert not [headers for headers in seen if "if-none-match" in headers]


async def test_a_sign_in_of_one_does_not_let_another_in(browser: Browser) -> None:
    for render in ("browser", "static"):
        signed = PageRequest(
            url=browser.site.url("/private"),
            render=render,
            http_auth={"username": "reader", "password": "canary"},
            headers={"X-Token": "canary"},
            cookies=[{"name": "mark", "value": "canary"}],
        )
        plain = PageRequest(url=browser.site.url("/private"), render=render)
        browser.site.seen.clear()
        await browser.extractor.extract(signed, tenant="acme")
        assert "canary" in str(browser.requests("/private"))
        assert any("authorization" in headers for headers in browser.requests("/private"))
        browser.site.seen.clear()
        await browser.extractor.extract(plain, tenant="zenith")
        for headers in browser.requests("/private"):
            assert not {"authorization", "x-token", "cookie"} & headers.keys()


async def test_strict_transport_of_one_does_not_bind_another(tmp_path: Path) -> None:
    async with _two_schemes(tmp_path) as (extractor, secure, plain):
        onward = f"?to=http://a.test:{plain.port}/plain"
        # The same context is bound: it speaks TLS to a server without it, and gets nowhere.
        with suppress(ExtractorError):
            await _read(extractor, f"https://a.test:{secure.port}/{onward}", "acme", deadline_s=8)
        assert secure.seen
        assert not plain.seen
        await _read(extractor, f"http://a.test:{plain.port}/plain", "zenith")
        assert len(plain.seen) == 1
        await _read(extractor, f"https://a.test:{secure.port}/lax{onward}", "acme")
        assert len(plain.seen) == 2


async def _read(extractor: Extractor, url: str, tenant: str, **wish: Any) -> None:
    wanted = PageRequest(url=url, format="text", wait={"delay_ms": 800}, **wish)
    await extractor.extract(wanted, tenant=tenant)


@asynccontextmanager
async def _two_schemes(folder: Path) -> AsyncIterator[tuple[Extractor, Site, Site]]:
    """An extractor for which ``a.test`` is a host of ours, with its ports for TLS and without."""
    issued = trustme.CA().issue_cert("a.test")
    onward = "<p>Here.<script>location = new URLSearchParams(location.search).get('to')</script>"
    strict = {"Strict-Transport-Security": "max-age=9999"}
    async with (
        serve({"/plain": "<p>Reached"}) as plain,
        _tls(issued, {"/": Answer(onward, 200, strict), "/lax": onward}) as secure,
    ):
        settings = ExtractorSettings(
            data_dir=folder / "data",
            allow_hosts=(f"a.test:{secure.port}", f"a.test:{plain.port}"),
            chromium_path=_trusting(folder, issued),
            concurrency=1,
        )

        async def resolve(host: str) -> list[str]:
            return ["127.0.0.1"]

        extractor = Extractor(settings)
        extractor.proxy = EgressProxy(settings, resolver=resolve)
        extractor.pool = BrowserPool(settings, extractor.proxy)
        async with extractor:
            yield extractor, secure, plain


def _trusting(folder: Path, issued: trustme.LeafCert) -> Path:
    """A Chromium that takes this one certificate for good, as a certified one."""
    certificate = x509.load_pem_x509_certificate(issued.cert_chain_pems[0].bytes())
    public = certificate.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    pin = base64.b64encode(hashlib.sha256(public).digest()).decode()
    script = folder / "chromium"
    binary = find_chromium(None).path
    script.write_text(
        f'#!/bin/sh\nexec {binary} --ignore-certificate-errors-spki-list={pin} "$@"\n', "utf-8"
    )
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    return script


@asynccontextmanager
async def _tls(issued: trustme.LeafCert, routes: Any) -> AsyncIterator[Site]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    issued.configure_cert(context)
    async with serve(routes, tls=context) as site:
        yield site


ECHO = """<p id=said>path {path} token {token}</p><script>
said.textContent += " hash " + location.hash + " width " + innerWidth + " lang " + navigator.language
</script>"""


async def test_no_answer_is_that_of_another_address_or_of_other_options(browser: Browser) -> None:
    """Each asks for what another asks for in all but one thing; what it reads is its own."""
    cached = {"Cache-Control": "public, max-age=9999"}

    def echo(path: str) -> Any:
        async def answer(writer: asyncio.StreamWriter) -> None:
            token = browser.site.seen[-1][1].get("x-token", "none")
            body = ECHO.format(path=path, token=token).encode()
            head = "".join(f"{name}: {value}\r\n" for name, value in cached.items())
            head += f"Content-Type: text/html\r\nContent-Length: {len(body)}\r\n"
            writer.write(f"HTTP/1.1 200 OK\r\n{head}Connection: close\r\n\r\n".encode() + body)
            await writer.drain()

        return answer

    for path in ("/A", "/a", "/p"):
        browser.site.routes[path] = echo(path)
    wishes: list[tuple[str, str, dict[str, Any], str]] = [
        ("acme", "/A", {}, "path /A token none hash width 1280 lang en-US"),
        ("zenith", "/a", {}, "path /a token none hash width 1280 lang en-US"),
        ("acme", "/p#/x", {}, "path /p token none hash #/x width 1280 lang en-US"),
        ("acme", "/p#/y", {}, "path /p token none hash #/y width 1280 lang en-US"),
        ("zenith", "/p#/x", {"headers": {"X-Token": "z"}}, "path /p token z hash #/x width 1280 lang en-US"),
        ("acme", "/p#/x", {"headers": {"X-Token": "a"}}, "path /p token a hash #/x width 1280 lang en-US"),
        ("acme", "/p", {"viewport": {"width": 640}}, "path /p token none hash width 640 lang en-US"),
        ("zenith", "/p", {"locale": "de-DE"}, "path /p token none hash width 1280 lang de-DE"),
        ("zenith", "/p", {"javascript": False}, "path /p token none"),
        ("acme", "/p", {"render": "static"}, "path /p token none"),
    ]  # fmt: skip

    async def read(tenant: str, path: str, wish: dict[str, Any]) -> tuple[str, str]:
        wanted = PageRequest(url=browser.site.url(path), format="text", **wish)
        page = await browser.extractor.extract(wanted, tenant=tenant)
        return " ".join(page.content["text"].split()), page.snapshot.id

    # All at once, twice: the queue and every cache have a chance to mix them up.
    for _ in range(2):
        found = await asyncio.gather(*(read(*wish[:3]) for wish in wishes))
        assert [text for text, _ in found] == [wish[3] for wish in wishes]
        assert len({snapshot for _, snapshot in found}) == len(wishes)
        for (tenant, *_), (text, snapshot) in zip(wishes, found, strict=True):
            stored = browser.extractor.store.of(tenant).load(snapshot)
            assert text.split(" hash")[0] in stored.html
            other = "zenith" if tenant == "acme" else "acme"
            with pytest.raises(NotFound):
                browser.extractor.store.of(other).load(snapshot)
