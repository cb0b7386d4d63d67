"""Parts that open with a click: opened when asked, and nothing else is ever clicked."""

from __future__ import annotations

from extractor import filter_snapshot
from extractor.snapshot import Snapshot
from tests.browser.conftest import Loader
from tests.browser.reading import P, shown
from tests.browser.site import serve

LATE = f"""<main>{P}<details id=d><summary>Delivery</summary></details>
<button aria-expanded=false aria-controls=acc id=b>More</button><div id=acc hidden></div>
<script>d.addEventListener('toggle',()=>d.insertAdjacentHTML('beforeend','<p>late delivery words</p>'));
b.onclick=async()=>{{const t=await(await fetch('/more')).text();acc.hidden=false;acc.textContent=t;
b.setAttribute('aria-expanded','true')}}</script></main>"""

TABS = f"""<main>{P}<div role=tablist><button role=tab aria-selected=true id=t0>One</button><button role=tab
aria-selected=false id=t1>Two</button><button role=tab aria-selected=false id=t2>Three</button></div>
<div role=tabpanel id=panel><p>panel One words</p></div><script>for(const t of document.querySelectorAll('[role=tab]'))
t.onmousedown=()=>{{document.querySelector('[aria-selected=true]').setAttribute('aria-selected','false');
t.setAttribute('aria-selected','true');panel.innerHTML=`<p>panel ${{t.textContent}} words</p>`}}</script></main>"""

TRAPS = f"""<main>{P}<a role=tab aria-selected=false href=/away>Leave</a>
<a aria-expanded=false aria-controls=x href="/away?2">Leave too</a>
<form action=/sent><button aria-expanded=false aria-controls=x>Send</button></form>
<button aria-expanded=false aria-haspopup=menu onclick="location='/away?3'">Menu</button>
<button aria-expanded=false aria-controls=x onclick="location='/away?4'">Script away</button>
<div id=cookie-banner><button aria-expanded=false aria-controls=x onclick="this.textContent='clicked'">Settings</button></div>
<div role=dialog><button aria-expanded=false aria-controls=x onclick="this.textContent='clicked'">Details</button></div>
<button aria-expanded=false aria-controls=x onclick="this.textContent='clicked'">Accept all</button>
<nav><button aria-expanded=false aria-controls=x onclick="this.textContent='clicked'">Products</button></nav>
<div id=x hidden><p>part words</p></div></main>"""


def words(snapshot: Snapshot) -> str:
    return shown(snapshot).partition("blue ink. ")[2].rpartition("blue ink. ")[2]


async def test_what_is_built_when_opened_is_there(loader: Loader) -> None:
    async with serve({"/": LATE, "/more": "fetched words"}) as site:
        plain = await loader.load(site.url())
        opened = await loader.load(site.url(), expand=True)
    assert "late delivery words" not in shown(plain)
    assert "late delivery words" in shown(opened)
    assert "fetched words" in shown(opened)
    [notice] = [item for item in opened.meta.notices if item.code == "expanded"]
    assert (notice.text, notice.count) == ("closed parts were opened: Delivery, More", 2)


async def test_every_panel_of_tabs_that_share_one_is_kept(loader: Loader) -> None:
    async with serve({"/": TABS}) as site:
        snapshot = await loader.load(site.url(), expand=True)
    for name in ("One", "Two", "Three"):
        assert shown(snapshot).count(f"panel {name} words") == 1
    closed = [item.kind for item in filter_snapshot(snapshot).unseen]
    assert closed.count("tab") >= 2


async def test_nothing_that_leads_elsewhere_or_consents_is_clicked(loader: Loader) -> None:
    routes = {"/": TRAPS, "/away": "<p>elsewhere</p>", "/sent": "<p>sent</p>"}
    async with serve(dict(routes)) as site:
        snapshot = await loader.load(site.url(), expand=True)
        paths = {path for path, _ in site.seen}
    assert "elsewhere" not in shown(snapshot)
    assert "clicked" not in shown(snapshot)
    assert not {path for path in paths if path.startswith(("/away", "/sent"))}
    assert snapshot.meta.final_url == site.url()


async def test_opening_is_bounded_and_says_so(loader: Loader) -> None:
    page = f"<main>{P}{'<details><summary>part</summary><p>text</p></details>' * 130}</main>"
    async with serve({"/": page}) as site:
        snapshot = await loader.load(site.url(), expand=True)
    assert snapshot.meta.incomplete_reason == "expand_controls"
