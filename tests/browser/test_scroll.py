"""Text that comes by scrolling: all of it, each part once, within bounds."""

from __future__ import annotations

import re

import pytest

from extractor.snapshot import Snapshot
from tests.browser.conftest import Loader
from tests.browser.reading import P, shown
from tests.browser.site import serve
from tests.browser.test_unseen import FEED, RECYCLED

ENDLESS = FEED.replace("&&n<5", "")


def numbers(snapshot: Snapshot, word: str) -> list[int]:
    return [int(found) for found in re.findall(rf"{word} (\d+)", shown(snapshot))]


async def test_a_page_that_grows_is_read_to_its_end(loader: Loader) -> None:
    async with serve({"/": FEED}) as site:
        snapshot = await loader.load(site.url(), scroll=True)
    assert numbers(snapshot, "row") == list(range(6))
    assert snapshot.meta.complete


async def test_a_feed_without_an_end_stops_at_its_cap_and_says_so(loader: Loader) -> None:
    async with serve({"/": ENDLESS}) as site:
        snapshot = await loader.load(site.url(), scroll={"steps": 8})
    rows = numbers(snapshot, "row")
    assert rows == list(range(len(rows)))
    assert len(rows) > 3
    assert (snapshot.meta.complete, snapshot.meta.incomplete_reason) == (False, "scroll_steps")
    assert any(notice.text.startswith("scroll_steps") for notice in snapshot.meta.notices)


POOL = """<main><h1>Ships</h1><div id=s style="height:300px;overflow:auto"><div style="height:6000px;
position:relative" id=h></div></div></main><script>const pool=[];for(let i=0;i<12;i++){const d=document.createElement('div');
d.style.cssText='position:absolute;height:30px';h.append(d);pool.push(d)}function draw(){const a=Math.min(188,Math.floor(
s.scrollTop/30));for(let i=a;i<a+12;i++){const d=pool[i%12];d.style.top=i*30+'px';d.textContent='ship '+i+' of '+
(i%7)}}s.addEventListener('scroll',draw);draw()</script>"""
TABLE = """<main><div id=s style="height:300px;overflow:auto;overflow-anchor:none"><div id=a></div><table style="border-collapse:collapse"><tbody id=b></tbody></table>
<div id=z></div></div></main><script>function draw(){const k=Math.max(0,Math.floor(s.scrollTop/30)-2);b.innerHTML='';
for(let i=k;i<Math.min(120,k+15);i++)b.insertAdjacentHTML('beforeend',`<tr aria-rowindex=${i+1} style="height:30px">
<td style="padding:0">ship ${i}<td style="padding:0">same`);a.style.height=k*30+'px';z.style.height=Math.max(0,(120-k-15)*30)+'px'}
s.addEventListener('scroll',draw);draw()</script>"""
WINDOW = """<main id=h style="position:relative;height:9000px"></main><script>function draw(){const a=Math.max(0,
Math.floor(scrollY/100)-3);h.innerHTML='';for(let i=a;i<Math.min(90,a+20);i++)h.insertAdjacentHTML('beforeend',
`<article style="position:absolute;top:${i*100}px;height:100px"><p>ship ${i}</p></article>`)}
addEventListener('scroll',draw);draw()</script>"""


@pytest.mark.parametrize(
    ("page", "count"), [(RECYCLED, 200), (POOL, 200), (TABLE, 120), (WINDOW, 90)]
)
async def test_rows_that_come_and_go_are_gathered_once_each_in_order(
    loader: Loader, page: str, count: int
) -> None:
    async with serve({"/": page}) as site:
        snapshot = await loader.load(site.url(), scroll=True)
    assert numbers(snapshot, "ship") == list(range(count))
    assert snapshot.meta.complete


async def test_rows_that_an_answer_brings_are_waited_for(loader: Loader) -> None:
    page = """<main id=m><p style="height:1200px">row 0</p></main><div id=end>end</div><script>let n=0,busy=0;
    new IntersectionObserver(async e=>{if(!e[0].isIntersecting||busy||n>3)return;busy=1;const t=await(await
    fetch('/more')).text();n++;m.insertAdjacentHTML('beforeend',`<p style="height:1200px">row ${n} ${t}</p>`);busy=0
    }).observe(document.getElementById('end'))</script>"""
    async with serve({"/": page, "/more": "more"}) as site:
        snapshot = await loader.load(site.url(), scroll=True)
    assert numbers(snapshot, "row") == list(range(5))


async def test_scrolling_a_page_that_is_all_there_changes_nothing(loader: Loader) -> None:
    page = f"<main>{P * 40}<ul>{'<li>one</li>' * 9}</ul></main><script>var a=1</script>"
    async with serve({"/": page}) as site:
        plain = await loader.load(site.url())
        scrolled = await loader.load(site.url(), scroll=True)
    assert shown(plain) == shown(scrolled)
