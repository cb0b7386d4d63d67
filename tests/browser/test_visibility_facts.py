"""Each trick that hides text gets its own reason, and its honest twin stays."""

from __future__ import annotations

import pytest

from tests.browser.conftest import Loader
from tests.browser.reading import P, hidden, nodes, shown
from tests.browser.site import serve

TRICKS = {
    "display": '<div style="display:none">WORDS</div>',
    "visibility": '<div style="visibility:hidden">WORDS</div>',
    "opacity": '<div style="opacity:0">WORDS</div>',
    "opacity filter": '<div style="filter:opacity(0)">WORDS</div>',
    "opacity product": '<div style="opacity:.3"><div style="opacity:.3">WORDS</div></div>',
    "content_visibility": '<div style="content-visibility:hidden"><p>WORDS</p></div>',
    "font_size": '<div style="font-size:0">WORDS</div>',
    "font_size scaled": '<div style="transform:scale(.1)">WORDS</div>',
    "clip": '<div style="clip-path:inset(100%);position:absolute">WORDS</div>',
    "clip circle": '<div style="clip-path:circle(0)">WORDS</div>',
    "offscreen": '<div style="position:absolute;left:-9999px">WORDS</div>',
    "offscreen fixed": '<div style="position:fixed;left:150vw;width:99px">WORDS</div>',
    "text_indent": '<div style="text-indent:-9999px;overflow:hidden;white-space:nowrap">WORDS</div>',
    "transform": '<div style="transform:scale(0)">WORDS</div>',
    "transform turn": '<div style="transform:rotateY(90deg)">WORDS</div>',
    "contrast": '<div style="color:#fff;background:#fff">WORDS</div>',
    "contrast canvas": '<div style="color:#fefefe">WORDS</div>',
    "contrast transparent": '<div style="color:transparent">WORDS</div>',
    "contrast fill": '<div style="-webkit-text-fill-color:transparent">WORDS</div>',
    "zero_box": '<div style="height:0;overflow:hidden">WORDS</div>',
    "zero_box max": '<div style="max-height:0;overflow:hidden"><p>WORDS</p></div>',
}

HONEST = {
    "visible in hidden": '<div style="visibility:hidden">x<b style="visibility:visible">WORDS</b></div>',
    "font size set back": '<div style="font-size:0"><span style="font-size:16px">WORDS</span></div>',
    "display contents": '<div style="display:contents">WORDS</div>',
    "overflow of no height": '<div style="height:0">WORDS</div>',
    "escape": '<div style="height:0;overflow:hidden"><div style="position:absolute">WORDS</div></div>',
    "below the fold": '<div style="margin-top:9000px">WORDS</div>',
    "white on dark": '<div style="background:#000"><p style="color:#fff">WORDS</p></div>',
    "white on picture": '<div style="background:url(x.png)"><p style="color:#fff">WORDS</p></div>',
    "white over positioned dark": '<div style="position:relative"><div style="position:absolute;inset:0;background:#000"></div><p style="position:relative;color:#fff">WORDS</p></div>',
    "gradient text": '<div style="background:linear-gradient(red,blue);background-clip:text;color:transparent">WORDS</div>',
    "inert": "<div inert>WORDS</div>",
    "aria hidden": "<div aria-hidden=true>WORDS</div>",
    "scrolled away": '<div id=s style="height:50px;overflow:auto"><p>WORDS</p><p style="height:900px">z</p></div><script>s.scrollTop=600</script>',
    "fixed shell": '<div style="position:fixed;inset:0;overflow:auto"><p style="margin-top:3000px">WORDS</p></div>',
    "half opacity": '<div style="opacity:.5">WORDS</div>',
    "auto content visibility": '<div style="content-visibility:auto;margin-top:5000px"><p>WORDS</p></div>',
    "small turn": '<div style="transform:rotate(10deg)">WORDS</div>',
}


@pytest.mark.parametrize("trick", TRICKS)
async def test_a_trick_has_its_reason(loader: Loader, trick: str) -> None:
    async with serve({"/": f"<main>{P}{TRICKS[trick]}<p>end</p></main>"}) as site:
        snapshot = await loader.load(site.url())
    assert hidden(snapshot) == {"WORDS": trick.split(" ")[0]}
    assert "WORDS" not in shown(snapshot)


@pytest.mark.parametrize("honest", HONEST)
async def test_an_honest_twin_stays(loader: Loader, honest: str) -> None:
    async with serve({"/": f"<main>{P}{HONEST[honest]}<p>end</p></main>"}) as site:
        snapshot = await loader.load(site.url())
    assert "WORDS" not in hidden(snapshot)
    assert "WORDS" in shown(snapshot)


@pytest.mark.parametrize("width", [1280, 400])
async def test_one_copy_for_each_width(loader: Loader, width: int) -> None:
    page = """<style>.m{display:none}@media(max-width:600px){.m{display:block}.d{display:none}}
    .sr{position:absolute;width:1px;height:1px;overflow:hidden;clip:rect(0,0,0,0)}</style>
    <main><div class=d><p>The price is forty crowns.</p></div><div class=m><p>The price is forty crowns.</p></div>
    <a href=/cart><span class=sr>Shopping cart, 3 items</span><i>🛒</i></a></main>"""
    async with serve({"/": page}) as site:
        snapshot = await loader.load(site.url(), viewport={"width": width, "height": 800})
    assert shown(snapshot).count("forty crowns") == 1
    labels = [a.get("data-pf-l") for a in nodes(snapshot, "span") if a.get("class") == "sr"]
    assert labels == ["sr_only"]
