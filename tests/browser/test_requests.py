"""What a request asks of the browser arrives at the server, and nowhere else."""

from __future__ import annotations

import base64
from pathlib import Path

from extractor import filter_snapshot
from extractor.store import SnapshotStore
from tests.browser.conftest import Loader
from tests.browser.reading import P, shown
from tests.browser.site import Answer, serve


async def test_headers_and_sign_in_go_to_the_first_origin_only(loader: Loader) -> None:
    challenge = Answer("no", 401, {"WWW-Authenticate": 'Basic realm="r"'})
    async with serve({"/i": challenge, "/end": "<p>end"}) as other, serve({"/own": "x"}) as site:
        site.routes["/"] = (
            f"<p>page</p><iframe src='{other.url('/i')}'></iframe><iframe src=/own></iframe>"
        )
        site.routes["/go"] = Answer("", 302, {"Location": other.url("/end")})
        wish = {
            "headers": {"X-Token": "t1", "Authorization": "Bearer b1"},
            "http_auth": {"username": "u", "password": "p"},
        }
        await loader.load(site.url(), **wish)
        await loader.load(site.url("/go"), **wish)
    assert {headers.get("x-token") for _, headers in site.seen} == {"t1"}
    assert {headers.get("authorization") for _, headers in site.seen} == {"Bearer b1"}
    assert {path for path, _ in other.seen} >= {"/i", "/end"}
    for _, headers in other.seen:
        assert "x-token" not in headers
        assert "authorization" not in headers


async def test_a_page_behind_a_sign_in_is_read(loader: Loader) -> None:
    async with serve({"/": Answer("no", 401, {"WWW-Authenticate": 'Basic realm="r"'})}) as site:
        snapshot = await loader.load(site.url(), http_auth={"username": "u", "password": "p"})
        sent = [headers.get("authorization") for path, headers in site.seen if path == "/"]
    assert snapshot.meta.status == 401
    assert sent[:2] == [None, "Basic dTpw"]


async def test_cookies_arrive_exactly_as_given(loader: Loader) -> None:
    cookies = [
        {"name": "s", "value": "a,b c"},
        {"name": "t", "value": '"q"', "path": "/in", "http_only": True},
        {"name": "o", "value": "x", "domain": "other.test"},
        {"name": "e", "value": "1", "expires": 4_000_000_000},
    ]
    async with serve({"/": P, "/in/side": P}) as site:
        await loader.load(site.url(), cookies=cookies)
        await loader.load(site.url("/in/side"), cookies=cookies)
        sent = {path: headers.get("cookie", "") for path, headers in site.seen}
    assert set(sent["/"].split("; ")) == {"s=a,b c", "e=1"}
    assert set(sent["/in/side"].split("; ")) == {"s=a,b c", "e=1", 't="q"'}


async def test_pictures_are_made_when_asked_for_and_stay_with_the_snapshot(
    loader: Loader, tmp_path: Path
) -> None:
    async with serve({"/": f"<main>{P}</main>"}) as site:
        snapshot = await loader.load(site.url(), format=("screenshot", "pdf", "text"))
        plain = await loader.load(site.url())
    assert snapshot.pictures["screenshot"].startswith(b"\x89PNG")
    assert snapshot.pictures["pdf"].startswith(b"%PDF-")
    assert plain.pictures == {}
    store = SnapshotStore(tmp_path)
    again = store.load(store.save(snapshot))
    page = filter_snapshot(again, format=("screenshot", "text"))
    assert base64.b64decode(page.content["screenshot"]) == snapshot.pictures["screenshot"]
    assert set(page.content) == {"screenshot", "text"}


async def test_zone_and_language_are_the_browsers(loader: Loader) -> None:
    page = (
        "<p id=p></p><script>p.textContent=new Date(0).getHours()+' '+navigator.language</script>"
    )
    async with serve({"/": page}) as site:
        snapshot = await loader.load(site.url(), timezone="Asia/Tokyo", locale="de-DE")
    assert shown(snapshot) == "9 de-DE"
