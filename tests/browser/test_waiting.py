"""When a page is ready, and what is read when it never is."""

from __future__ import annotations

import asyncio

import pytest

from extractor.browser.document import NotHtml
from extractor.errors import (
    ConnectError,
    DownloadError,
    EmptyPage,
    ExtractorError,
    TooLarge,
    TooManyNavigations,
    TooManyRedirects,
)
from tests.browser.conftest import Loader
from tests.browser.reading import P, shown
from tests.browser.site import Answer, Routes, serve

SKELETON = "<main id=m><div class=skeleton>Loading…</div></main><script>setTimeout(()=>m.innerHTML='<p>real words</p>',1500)</script>"


@pytest.mark.parametrize("extra", ["", "<script>setInterval(()=>fetch('/ping'),200)</script>"])
async def test_a_skeleton_is_waited_for_though_the_network_never_rests(
    loader: Loader, extra: str
) -> None:
    async with serve({"/": SKELETON + extra, "/ping": "x"}) as site:
        snapshot = await loader.load(site.url())
    assert shown(snapshot) == "real words"
    assert snapshot.meta.wait.ended_by == "quiet"
    assert snapshot.meta.complete


async def test_text_that_a_fetch_brings_is_waited_for(loader: Loader) -> None:
    async def slowly(writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(0.8)
        writer.write(
            b"HTTP/1.1 200 OK\r\nContent-Length: 13\r\nConnection: close\r\n\r\nfetched words"
        )
        await writer.drain()

    page = "<main id=m>head</main><script>fetch('/data').then(r=>r.text()).then(t=>m.append(' '+t))</script>"
    async with serve({"/": page, "/data": slowly}) as site:
        snapshot = await loader.load(site.url())
    assert shown(snapshot) == "head fetched words"


async def test_a_page_that_is_done_is_taken_at_once(loader: Loader) -> None:
    async with serve({"/": f"{P}<script>var a=1</script>", "/plain": P}) as site:
        snapshot = await loader.load(site.url())
        plain = await loader.load(site.url("/plain"))
    assert snapshot.meta.wait.ended_by == "unchanged"
    assert plain.meta.wait.ended_by == "no_scripts"


async def test_a_page_with_hardly_a_word_gets_time_to_begin(loader: Loader) -> None:
    """No sign says that it loads, but nobody publishes a page of three words and a script."""
    page = "<h1>Harbour</h1><div id=m></div><script>setTimeout(()=>m.innerHTML='<p>late words</p>',120)</script>"
    async with serve({"/": page}) as site:
        snapshot = await loader.load(site.url())
    assert shown(snapshot) == "Harbour late words"
    assert snapshot.meta.wait.ended_by == "quiet"


async def test_a_busy_loop_is_ended_and_the_page_read(loader: Loader) -> None:
    page = "<p>ready words</p><script>addEventListener('load',()=>{for(;;);})</script>"
    async with serve({"/": page, "/next": "<p>next</p>"}) as site:
        snapshot = await loader.load(site.url(), deadline_s=4)
        after = await loader.load(site.url("/next"))
    assert shown(snapshot) == "ready words"
    assert not snapshot.meta.complete
    assert shown(after) == "next"


async def test_an_endless_answer_is_read_as_far_as_it_came(loader: Loader) -> None:
    async def endless(writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>first words</p>")
        for _ in range(60):
            await asyncio.sleep(0.2)
            writer.write(b" ")
            await writer.drain()

    async with serve({"/": endless}) as site:
        snapshot = await loader.load(site.url(), deadline_s=4)
    assert shown(snapshot) == "first words"
    assert not snapshot.meta.complete
    assert snapshot.meta.incomplete_reason == "deadline"


async def test_a_script_that_keeps_moving_on_is_frozen(loader: Loader) -> None:
    page = "<p>turn</p><script>location='/?'+Math.random()</script>"
    async with serve({"/": page}) as site:
        try:
            snapshot = await loader.load(site.url(), deadline_s=10)
        except TooManyNavigations:
            return  # it was stopped before the last document had any content
    assert snapshot.meta.incomplete_reason == "max_navigations"


async def test_a_page_without_a_root_is_empty_and_no_error(loader: Loader) -> None:
    bare = "<p>words</p><script>document.documentElement.remove()</script>"
    async with serve({"/": bare}) as site:
        snapshot = await loader.load(site.url())
    assert (shown(snapshot), snapshot.meta.complete) == ("", True)


async def test_a_refresh_at_once_is_followed(loader: Loader) -> None:
    routes: Routes = {
        "/": '<meta http-equiv=refresh content="0;url=/final"><p>stub</p>',
        "/final": "<p>final words</p>",
        "/go": Answer("", 302, {"Location": "/new/page"}),
        "/new/page": "<p>moved</p>",
        "/push": "<p>app</p><script>history.pushState(0,'','/app/view')</script>",
    }
    async with serve(routes) as site:
        snapshot = await loader.load(site.url())
        moved = await loader.load(site.url("/go"))
        pushed = await loader.load(site.url("/push#/route"))
        url = site.url("")
    assert (shown(snapshot), snapshot.meta.final_url) == ("final words", f"{url}/final")
    assert (moved.meta.final_url, moved.meta.redirects) == (f"{url}/new/page", (f"{url}/go",))
    assert pushed.meta.final_url == f"{url}/app/view"


async def test_dialogs_are_dismissed_and_listed(loader: Loader) -> None:
    page = f"""<main>{P}<p id=r></p></main><script>alert('hello');
    r.textContent='after alert '+confirm('ok?')+' '+prompt('name');window.open('/pop');
    onbeforeunload=e=>{{e.preventDefault();return 'stay'}};setTimeout(()=>alert('late'),300)</script>"""
    async with serve({"/": page, "/pop": "pop"}) as site:
        snapshot = await loader.load(site.url(), wait={"delay_ms": 500})
    assert shown(snapshot).endswith("after alert false null")
    dialogs = [notice.text for notice in snapshot.meta.notices if notice.code == "dialog"]
    assert dialogs == ["alert: hello", "confirm: ok?", "prompt: name", "alert: late"]


async def test_a_page_keeps_its_own_status(loader: Loader) -> None:
    async with serve({"/": Answer("<p>not here</p>", 404), "/e": Answer("<p>e</p>", 500)}) as site:
        missing = await loader.load(site.url())
        broken = await loader.load(site.url("/e"))
    assert (missing.meta.status, shown(missing)) == (404, "not here")
    assert broken.meta.status == 500


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("application/pdf", b"%PDF-1.4"),
        ("application/json", b'{"a": 1}'),
        ("text/plain", b"<b>plain</b>"),
        ("image/png", b"\x89PNG\r\n\x1a\n"),
        ("application/octet-stream", b"\0\1"),
    ],
)
async def test_what_is_no_html_is_handed_on(loader: Loader, kind: str, body: bytes) -> None:
    async with serve({"/": Answer(body, headers={"Content-Type": kind})}) as site:
        with pytest.raises(NotHtml) as caught:
            await loader.load(site.url())
    assert caught.value.content_type == kind


async def test_pdf_bytes_under_a_false_name_are_handed_on(loader: Loader) -> None:
    async with serve({"/": Answer(b"%PDF-1.7 binary")}) as site:
        with pytest.raises(NotHtml):
            await loader.load(site.url())


LARGE = "<p>" + "word " * 4000


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (Answer("<p>x", headers={"Content-Disposition": "attachment"}), DownloadError),
        (Answer("", 204), EmptyPage),
        (Answer(""), EmptyPage),
        (Answer("", 302, {"Location": "/"}), TooManyRedirects),
        (Answer(LARGE), TooLarge),
    ],
)
async def test_what_is_no_page_has_its_error(
    loader: Loader, answer: Answer, error: type[ExtractorError]
) -> None:
    async with serve({"/": answer}) as site:
        with pytest.raises(error):
            await loader.load(site.url(), max_bytes=10_000)


async def test_a_closed_port_is_a_connect_error(loader: Loader) -> None:
    async with serve({}) as site:
        url = site.url()
    with pytest.raises(ConnectError):
        await loader.load(url)


async def test_headers_go_to_the_first_origin_only(loader: Loader) -> None:
    async with serve({"/i": "<p>i"}) as other, serve({"/own": "x"}) as site:
        site.routes["/"] = (
            f"<p>page</p><iframe src='{other.url('/i')}'></iframe><iframe src=/own></iframe>"
        )
        await loader.load(site.url(), headers={"X-Token": "t1"})
        own = {path: headers.get("x-token") for path, headers in site.seen}
        foreign = [headers.get("x-token") for _, headers in other.seen]
    assert own == {"/": "t1", "/own": "t1"}
    assert foreign == [None]


async def test_a_page_that_stays_busy_says_what_was_pending(loader: Loader) -> None:
    async def never(writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(30)

    page = "<main id=m>head</main><div class=spinner>Loading…</div><script>fetch('/data')</script>"
    async with serve({"/": page, "/data": never}) as site:
        snapshot = await loader.load(site.url(), limits={"settle_cap_s": 1})
        fetch = f"fetch {site.url('/data')}"
    assert snapshot.meta.wait.ended_by == "cap"
    assert set(snapshot.meta.wait.pending) == {"loading", fetch}


@pytest.mark.parametrize(
    "noise",
    [
        "setInterval(()=>c.textContent=Date.now(),50)",
        "setInterval(()=>fetch('/ping'),100)",
        "(function f(){c.style.left=Math.random()+'px';requestAnimationFrame(f)})()",
    ],
)
async def test_polling_and_animation_hold_nothing_up(loader: Loader, noise: str) -> None:
    page = (
        f"<main id=m>head</main><b id=c></b><script>onload=()=>m.append(' tail');{noise}</script>"
    )
    async with serve({"/": page, "/ping": "x"}) as site:
        snapshot = await loader.load(site.url(), limits={"settle_cap_s": 15}, deadline_s=40)
    assert shown(snapshot).startswith("head tail")
    assert snapshot.meta.wait.ended_by in ("quiet", "unchanged")
