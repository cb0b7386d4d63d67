"""Shadow roots, slots and frames stand where a reader sees them."""

from __future__ import annotations

import pytest

from tests.browser.conftest import Loader
from tests.browser.reading import hidden, nodes, shown
from tests.browser.site import Answer, Site, serve

SLOTS = """<main><x-card>default words<b slot=cap>named words</b><i slot=nowhere>unassigned words</i></x-card></main>
<script>
customElements.define('x-in',class extends HTMLElement{constructor(){super();
 this.attachShadow({mode:'open'}).innerHTML='<style>p{color:red}</style><p>inner words</p>'}});
customElements.define('x-card',class extends HTMLElement{constructor(){super();
 this.attachShadow({mode:'open'}).innerHTML='<h2><slot name=cap>cap fallback</slot></h2><p>shadow words</p>'+
 '<slot></slot><x-in></x-in><slot name=none>none fallback</slot>'}});
</script>"""


async def test_slots_are_filled_in_order_and_the_unassigned_is_reported(loader: Loader) -> None:
    async with serve({"/": SLOTS}) as site:
        snapshot = await loader.load(site.url())
    assert shown(snapshot) == "named words shadow words default words inner words none fallback"
    assert hidden(snapshot) == {"unassigned words": "not_slotted"}
    assert "color:red" not in snapshot.html


async def test_closed_roots_are_read_by_script_and_declared(loader: Loader) -> None:
    page = """<main><x-c></x-c><div><template shadowrootmode=closed><p>declared closed words</p>
    <x-d></x-d></template></div></main><script>
    for (const [n, t] of [['x-c','script closed words'],['x-d','nested closed words']])
    customElements.define(n,class extends HTMLElement{constructor(){super();
     this.attachShadow({mode:'closed'}).innerHTML='<p>'+t+'</p>'}})</script>"""
    async with serve({"/": page}) as site:
        snapshot = await loader.load(site.url())
    assert shown(snapshot) == "script closed words declared closed words nested closed words"
    assert [a.get("data-pf-shadow") for a in nodes(snapshot, "x-c")] == ["closed"]
    assert [a.get("data-pf-shadow") for a in nodes(snapshot, "div")] == ["closed"]


def _frames(other: str = "") -> dict[str, Answer | str]:
    return {
        "/": '<main><iframe srcdoc="<p>srcdoc words</p>"></iframe><iframe src="/f/a"></iframe>'
        '<iframe src="/f/a"></iframe><iframe src="/f/a#part"></iframe><iframe src="/f/outer"></iframe>'
        '<iframe src="/f/302-to-b"></iframe></main>',
        "/f/a": "<p>a words <a href='next'>on</a></p>",
        "/f/outer": '<p>outer words</p><iframe src="/f/inner"></iframe>',
        "/f/inner": "<p>inner words</p>",
        "/f/302-to-b": Answer("", 302, {"Location": f"{other}/f/b"}),
        "/f/b": "<p>b words</p>",
    }


@pytest.mark.parametrize("host", ["", "localhost"])
async def test_frames_stand_in_place_with_their_own_addresses(loader: Loader, host: str) -> None:
    async with serve({}) as site:
        other = site.url("", host) if host else ""
        site.routes.update(_frames(other))
        snapshot = await loader.load(site.url())
        addresses = _frame_addresses(site, host)
    assert (
        shown(snapshot)
        == "srcdoc words a words on a words on a words on outer words inner words b words"
    )
    frames = nodes(snapshot, "pf-frame")
    assert [frame["data-pf-url"] for frame in frames] == addresses
    links = {attrs["href"] for attrs in nodes(snapshot, "a")}
    assert links == {site.url("/f/next")}


def _frame_addresses(site: Site, host: str) -> list[str]:
    last = site.url("/f/b", host or "127.0.0.1")
    paths = ["/f/a", "/f/a", "/f/a#part", "/f/outer", "/f/inner"]
    return ["about:srcdoc", *map(site.url, paths), last]


async def test_a_frameset_is_a_page(loader: Loader) -> None:
    routes = {
        "/": '<!doctype html><title>Old manual</title><frameset cols="20%,80%"><frame src="/f/toc">'
        '<frame src="/f/body"><noframes>no frames here</noframes></frameset>',
        "/f/toc": "<p>toc words</p>",
        "/f/body": "<p>body words</p>",
    }
    async with serve({**routes}) as site:
        snapshot = await loader.load(site.url())
    assert shown(snapshot) == "toc words body words"
    assert snapshot.meta.status == 200
    assert snapshot.meta.title == "Old manual"
