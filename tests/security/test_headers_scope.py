"""The caller's headers, cookies and sign-in go to the origin that was asked for, and to no other."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Any

import pytest
import pytest_asyncio

from extractor import Extractor, PageRequest
from extractor.settings import ExtractorSettings
from tests.browser.site import Answer, Site, serve

pytestmark = [pytest.mark.hostile, pytest.mark.asyncio(loop_scope="module")]

OPEN = {"Access-Control-Allow-Origin": "*", "Access-Control-Allow-Headers": "*"}
SIGN_IN = {"WWW-Authenticate": 'Basic realm="r"'}
CANARIES = {
    "headers": {"X-Token": "canary-header", "Authorization": "Bearer canary-bearer"},
    "cookies": [
        {"name": "plain", "value": "canary-cookie"},
        {"name": "hidden", "value": "canary-hidden", "http_only": True, "same_site": "Lax"},
    ],
    "user_agent": "Reader/1.0",
}
#: Each asks the other origin for something in a way of its own, and says under which path.
WAYS = {
    "/script": '<script src="{other}/script"></script>',
    "/module": '<script type="module">import("{other}/module").catch(() => 0)</script>',
    "/style": '<link rel="stylesheet" href="{other}/style">',
    "/preload": '<link rel="preload" as="fetch" crossorigin="use-credentials" href="{other}/preload">',
    "/frame": '<iframe src="{other}/frame"></iframe>',
    "/fetch": '<script>fetch("{other}/fetch", {{credentials: "include", mode: "no-cors"}})</script>',
    "/xhr": '<script>x = new XMLHttpRequest(); x.open("GET", "{other}/xhr"); x.withCredentials = true;'
    "x.send()</script>",
    "/worker": "<script>new Worker(URL.createObjectURL(new Blob(['"
    'fetch("{other}/worker", {{credentials: "include", mode: "no-cors"}})'
    "'])))</script>",
    "/beacon": '<script>navigator.sendBeacon("{other}/beacon", "x")</script>',
    "/events": '<script>new EventSource("{other}/events", {{withCredentials: true}})</script>',
    "/form": '<iframe name="f"></iframe><form target="f" method="post" action="{other}/form"></form>'
    "<script>document.forms[0].submit()</script>",
    "/bounced-frame": '<iframe src="/bounce?to={other}/bounced-frame"></iframe>',
    "/bounced-fetch": '<script>fetch("/bounce?to={other}/bounced-fetch", {{mode: "no-cors"}})</script>',
}


@dataclass(frozen=True, slots=True)
class Origins:
    """Two ports of one host. ``home`` is what the caller names."""

    extractor: Extractor
    home: Site
    other: Site

    async def read(self, path: str, **wish: Any) -> None:
        await self.extractor.extract(PageRequest(url=self.home.url(path), **wish))

    def sent(self, site: Site, path: str) -> str:
        """All headers of all requests for a path, which there must be."""
        found = [headers for target, headers in site.seen if target.partition("?")[0] == path]
        assert found, (path, site.seen)
        return str(found)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def origins(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Origins]:
    async with AsyncExitStack() as stack:
        home, other = [await stack.enter_async_context(serve({})) for _ in range(2)]
        allowed = (f"127.0.0.1:{home.port}", f"127.0.0.1:{other.port}")
        settings = ExtractorSettings(
            data_dir=tmp_path_factory.mktemp("data"), allow_hosts=allowed, concurrency=1
        )
        extractor = await stack.enter_async_context(Extractor(settings))
        home.routes["/landed"] = "<p>Low water at four."
        for status in (301, 302, 303, 307, 308):
            home.routes[f"/{status}"] = Answer("", status, {"Location": other.url("/landed")})
        other.routes["/landed"] = Answer("<p>Low water at four.", 200, OPEN)
        yield Origins(extractor, home, other)


@pytest.mark.parametrize("render", ["browser", "static"])
async def test_they_arrive_at_the_first_origin(origins: Origins, render: str) -> None:
    await origins.read("/landed", render=render, **CANARIES)
    sent = origins.sent(origins.home, "/landed")
    for canary in ("canary-header", "canary-bearer", "canary-cookie", "canary-hidden"):
        assert canary in sent


@pytest.mark.parametrize("render", ["browser", "static", "auto"])
async def test_a_redirect_to_another_origin_drops_them(origins: Origins, render: str) -> None:
    for status in (301, 302, 303, 307, 308):
        origins.other.seen.clear()
        await origins.read(f"/{status}", render=render, **CANARIES)
        assert "canary" in origins.sent(origins.home, f"/{status}")
        assert "canary" not in origins.sent(origins.other, "/landed")


async def test_no_subresource_of_another_origin_gets_them(origins: Origins) -> None:
    other = origins.other.url("").rstrip("/")
    markup = "".join(way.format(other=other) for way in WAYS.values())
    origins.home.routes["/"] = f"<p>Low water at four.{markup}"
    for path in WAYS:
        # Bounces are answered by path alone, so each has one of its own.
        origins.other.routes[path] = Answer("", 200, OPEN)
        bounce = Answer("", 302, {"Location": f"{other}{path}"})
        origins.home.routes[f"/bounce{path}"] = bounce
    origins.home.routes["/"] = str(origins.home.routes["/"]).replace(
        f"/bounce?to={other}", "/bounce"
    )
    await origins.read("/", **CANARIES, block=[])
    assert "canary-bearer" in origins.sent(origins.home, "/bounce/bounced-frame")
    for path in WAYS:
        assert "canary" not in origins.sent(origins.other, path), path


async def test_only_the_first_origin_is_signed_in_to(origins: Origins) -> None:
    ask = Answer("<p>Who are you?", 401, SIGN_IN)
    other = origins.other
    origins.home.routes["/"] = Answer(
        f'<p>Low water at four.<iframe src="{other.url("/frame")}"></iframe>'
        f'<script>fetch("{other.url("/fetch")}", {{credentials: "include"}})</script>',
        401,
        SIGN_IN,
    )
    other.routes |= {"/frame": ask, "/fetch": Answer("", 401, SIGN_IN | OPEN), "/landed": ask}
    auth = {"username": "reader", "password": "canary-password"}
    basic = "Basic cmVhZGVyOmNhbmFyeS1wYXNzd29yZA=="
    for render in ("browser", "static"):
        await origins.read("/", render=render, http_auth=auth)
        assert basic in origins.sent(origins.home, "/")
        await origins.read("/302", render=render, http_auth=auth)
        assert "authorization" not in origins.sent(other, "/landed")
    for path in ("/frame", "/fetch"):
        assert "authorization" not in origins.sent(other, path)


async def test_another_port_gets_no_cookie_and_sets_none_for_ours(origins: Origins) -> None:
    other = origins.other
    other.routes["/frame"] = Answer("<p>frame", 200, {"Set-Cookie": "theirs=planted"})
    origins.home.routes |= {
        "/": Answer(
            f'<p>Low water.<iframe src="{other.url("/frame")}"></iframe>'
            '<script>onload = () => fetch("/after")</script>',
            200,
            {"Set-Cookie": "ours=canary-own; HttpOnly"},
        ),
        "/after": "<p>After.",
    }
    await origins.read("/", cookies=CANARIES["cookies"])
    assert "canary" not in origins.sent(other, "/frame")
    after = origins.sent(origins.home, "/after")
    assert "canary-own" in after
    assert "planted" not in after
    # Whoever names the domain means all of it.
    wide = [{"name": "wide", "value": "meant-for-all", "domain": "127.0.0.1"}]
    await origins.read("/after", cookies=wide)
    assert "meant-for-all" in origins.sent(origins.home, "/after")
