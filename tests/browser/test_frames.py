"""Frames in odd places and states: read where they stand, or reported."""

from __future__ import annotations

import asyncio

from tests.browser.conftest import Loader
from tests.browser.reading import shown
from tests.browser.site import Routes, serve


def frame_notices(snapshot: object) -> list[str]:
    return [notice.text for notice in snapshot.meta.notices if notice.code == "frame"]  # type: ignore[attr-defined]


async def test_a_frame_that_a_script_writes_is_not_the_page_inside_itself(loader: Loader) -> None:
    page = """<p>page</p><iframe id=f></iframe><iframe id=g src="about:blank"></iframe><script>
    for(const[e,t]of[[f,'written'],[g,'also written']]){const d=e.contentDocument;d.open();d.write('<p>'+t);d.close()}</script>"""
    async with serve({"/": page}) as site:
        snapshot = await loader.load(site.url())
    assert shown(snapshot) == "page written also written"


async def test_a_page_inside_itself_is_read_once_and_reported(loader: Loader) -> None:
    async with serve({"/": "<p>once</p><iframe src='/#again'></iframe>"}) as site:
        snapshot = await loader.load(site.url())
        address = site.url("/#again")
    assert shown(snapshot) == "once"
    assert frame_notices(snapshot) == [f"{address}: includes itself"]


async def test_a_frame_that_waits_for_view_is_told_apart_from_an_empty_one(loader: Loader) -> None:
    page = """<p>page</p><iframe src=/empty></iframe><div style="height:9000px"></div>
    <iframe src=/late loading=lazy></iframe>"""
    async with serve({"/": page, "/empty": " ", "/late": "<p>late words</p>"}) as site:
        snapshot = await loader.load(site.url())
        scrolled = await loader.load(site.url(), scroll=True)
    assert frame_notices(snapshot) == ["frame 1: not loaded: it loads when it comes into view"]
    assert shown(scrolled) == "page late words"


async def test_a_frame_that_goes_away_or_cannot_be_had_costs_only_itself(loader: Loader) -> None:
    page = """<p>page</p><iframe src="http://127.0.0.1:1/"></iframe><iframe src=/on></iframe>
    <iframe id=x src=/on></iframe><script>onload=()=>x.remove()</script>"""
    async with serve({"/": page, "/on": "<p>on</p>"}) as site:
        snapshot = await loader.load(site.url())
    assert shown(snapshot) == "page on"
    assert len(frame_notices(snapshot)) == 1


async def test_a_frame_that_runs_for_ever_leaves_the_page_readable(loader: Loader) -> None:
    async with serve({"/hang": "<p>stuck</p><script>onload=()=>{for(;;);}</script>"}) as site:
        other = site.url("/hang", "localhost")
        site.routes["/"] = f"<p>page words</p><iframe src='{other}'></iframe><p>after"
        snapshot = await loader.load(site.url(), deadline_s=8)
    assert shown(snapshot).startswith("page words")
    assert shown(snapshot).endswith("after")


async def test_a_huge_frame_leaves_the_others_their_part(loader: Loader) -> None:
    routes: Routes = {
        "/": "<p>page</p><iframe src=/huge></iframe><iframe src=/small></iframe>",
        "/huge": "<p>x</p>" * 9_000,
        "/small": "<p>small words</p>",
    }
    async with serve(routes) as site:
        snapshot = await loader.load(site.url(), limits={"max_nodes": 4_000})
    assert shown(snapshot).endswith("small words")
    assert (snapshot.meta.complete, snapshot.meta.incomplete_reason) == (False, "max_nodes")


async def test_frames_nested_deeply_end_at_the_cap(loader: Loader) -> None:
    routes: Routes = {f"/{n}": f"<p>level {n}</p><iframe src=/{n + 1}></iframe>" for n in range(14)}
    async with serve(routes) as site:
        snapshot = await loader.load(site.url("/0"))
    assert "level 7" in shown(snapshot)
    assert any("nested too deep" in text for text in frame_notices(snapshot))


async def test_an_answer_that_never_ends_in_a_frame_is_read_as_far_as_it_came(
    loader: Loader,
) -> None:
    async def endless(writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>first words</p>")
        for _ in range(100):
            await asyncio.sleep(0.2)
            writer.write(b" ")
            await writer.drain()

    async with serve({"/": "<p>page</p><iframe src=/slow></iframe>", "/slow": endless}) as site:
        snapshot = await loader.load(site.url(), deadline_s=5)
    assert shown(snapshot) == "page first words"
    assert not snapshot.meta.complete
