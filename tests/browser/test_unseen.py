"""What the browser tells of content that is not on the page, with nothing clicked or scrolled."""

from __future__ import annotations

from extractor import filter_snapshot
from tests.browser.conftest import Loader
from tests.browser.reading import P, shown
from tests.browser.site import serve

FEED = """<main id=m><p>row 0</p></main><div id=end style="height:20px"></div>
<script>let n=0;new IntersectionObserver(e=>{if(e[0].isIntersecting&&n<5){n++;m.insertAdjacentHTML(
'beforeend',`<p style="height:1500px">row ${n}</p>`)}}).observe(document.getElementById('end'))</script>"""

RECYCLED = """<main><h1>Ships</h1><div id=s style="height:300px;overflow:auto"><div id=h
style="height:6000px;position:relative"></div></div></main><script>function draw(){const a=Math.floor(
s.scrollTop/30);h.innerHTML='';for(let i=a;i<Math.min(200,a+10);i++)h.insertAdjacentHTML('beforeend',
`<div data-i=${i} style="position:absolute;height:30px;top:${i*30}px">ship ${i}</div>`)}
s.addEventListener('scroll',draw);draw()</script>"""


async def test_a_page_that_grew_says_so(loader: Loader) -> None:
    async with serve({"/": FEED}) as site:
        snapshot = await loader.load(site.url())
    assert shown(snapshot) == "row 0 row 1"
    assert [item.kind for item in filter_snapshot(snapshot).unseen] == ["growth"]


async def test_a_list_that_draws_only_what_is_in_view_says_so(loader: Loader) -> None:
    async with serve({"/": RECYCLED}) as site:
        snapshot = await loader.load(site.url())
    [item] = filter_snapshot(snapshot).unseen
    assert (item.kind, item.count) == ("virtual_list", 190)
    assert "ship 9" in shown(snapshot)
    assert "ship 10" not in shown(snapshot)


async def test_scrollers_lazy_pictures_and_controls_are_listed(loader: Loader) -> None:
    page = f"""<main>{P}<div style="height:80px;overflow:auto">{P * 3}</div>
    <div style="height:80px;overflow:auto"><p>short</p></div>
    <img data-src=/a.png><img data-src=/b.png alt=b><button>Load more</button></main>"""
    async with serve({"/": page}) as site:
        snapshot = await loader.load(site.url())
    assert [(item.kind, item.count) for item in filter_snapshot(snapshot).unseen] == [
        ("load_more", 1),
        ("scroller", 1),
        ("lazy_images", 2),
    ]


async def test_a_page_that_a_script_writes_at_once_did_not_grow(loader: Loader) -> None:
    page = "<main id=m></main><script>onload=()=>m.innerHTML='<p>one</p><p>two</p><p>three</p>'</script>"
    async with serve({"/": page}) as site:
        snapshot = await loader.load(site.url())
    assert filter_snapshot(snapshot).unseen == ()
