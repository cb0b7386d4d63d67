"""Scripts that never let go, that eat memory, and those that talk to a person who is not there."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from extractor.browser import processes
from tests.browser.site import Routes
from tests.faults.exhaustion import WORDS, Reader, reading

pytestmark = [pytest.mark.hostile, pytest.mark.asyncio(loop_scope="module")]


async def _never(writer: asyncio.StreamWriter) -> None:
    await asyncio.sleep(60)


def _script(code: str) -> str:
    return f"<main>{WORDS}<p id=r></p></main><script>{code}</script>"


def _worker(code: str) -> str:
    return f"new Worker(URL.createObjectURL(new Blob([`{code}`])))"


BUSY = {
    "loop": "for (;;);",
    "after-load": "addEventListener('load', () => { for (;;); })",
    "timers": "setInterval(() => { for (;;); }, 1)",
    "half-busy": "setInterval(() => { const t = Date.now(); while (Date.now() - t < 300); }, 1)",
    "frames": "(function f() { for (let i = 0; i < 3e8; i++); requestAnimationFrame(f) })()",
    "promises": "(async () => { for (;;) await 0 })()",
    "backtracking": "/^(a+)+$/.test('a'.repeat(40) + 'b')",
    "sync-request": "const x = new XMLHttpRequest(); x.open('GET', '/never', false); x.send()",
    "sync-requests": "for (;;) { const x = new XMLHttpRequest(); x.open('GET', '/never', false); try { x.send() } catch {} }",
    "writes": "for (;;) document.write('<i>more</i>')",
    "mutations": "new MutationObserver(() => r.append('x')).observe(r, { childList: true }); r.append('x')",
}
HUNGRY = {
    "heap": "const a = []; for (;;) a.push(new Array(100000).fill(0).map(() => ({ a: 1 })))",
    "arrays": "const a = []; for (;;) a.push(new Uint8Array(5e7).fill(1))",
    "canvases": "const a = []; for (let i = 0; i < 500; i++) { const c = document.createElement('canvas'); c.width = c.height = 3000; const x = c.getContext('2d'); x.fillRect(0, 0, 3000, 3000); x.getImageData(0, 0, 1, 1); a.push(c) }",
    "worker-arrays": _worker("const a = []; for (;;) a.push(new Uint8Array(5e7).fill(1))"),
    "threads": f"for (let i = 0; i < 200; i++) {_worker('for (;;);')}",
    "strings": "let s = 'plain words'; const a = []; for (;;) { s += s.slice(0, 1e7); a.push(s + Math.random()) }",
}
TOLD = {
    "alerts": ("for (;;) alert('x')", "max_dialogs"),
    "popups": ("for (let i = 0; i < 200; i++) open('/good?' + i)", "max_popups"),
}
HEAVY = {
    "has": "<style>"
    + "".join(
        f"div:has(> span:has(~ b:nth-child({i}))) ~ div p {{ color: red }}" for i in range(200)
    )
    + "</style>",
    "columns": (
        "<div style='columns:20'>"
        + "<div style='display:grid;grid-template-columns:repeat(auto-fill,minmax(1px,1fr))'><div style='float:left'>"
        * 60
        + "x" * 100
        + "</div></div>" * 60
        + "</div>"
    )
    * 10,
    "filters": "<div style='filter:blur(50px) drop-shadow(9px 9px 99px red);width:9000px;height:9000px'>x</div>"
    * 50,
    "animations": "<style>@keyframes k { to { transform: rotate(1turn); width: 90% } } i { animation: k 1s infinite; display: block }</style>"
    + "<i>x</i>" * 2000,
}
C36 = """alert('hello'); r.textContent = 'after alert ' + confirm('ok?') + ' ' + prompt('name'); open('/pop');
onbeforeunload = e => { e.preventDefault(); return 'stay' }; print(); setTimeout(() => alert('late'), 300)"""


def _routes() -> Routes:
    routes: Routes = {"/never": _never, "/manners": _script(C36), "/pop": "<p>a popup</p>"}
    routes |= {f"/busy/{name}": _script(code) for name, code in BUSY.items()}
    routes |= {f"/hungry/{name}": _script(code) for name, code in HUNGRY.items()}
    routes |= {f"/told/{name}": _script(code) for name, (code, _) in TOLD.items()}
    tangle = ("<div><span></span><b></b>" * 200 + "<p>x</p>" + "</div>" * 200) * 5
    routes |= {
        f"/heavy/{name}": f"<main>{WORDS}</main>{more}{tangle}" for name, more in HEAVY.items()
    }
    return routes


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def reader(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Reader]:
    limits = {
        "max_renderer_bytes": 400_000_000,
        "settle_cap_s": 2,
        "max_dialogs": 10,
        "max_popups": 10,
    }
    async with reading(_routes(), tmp_path_factory.mktemp("data"), **limits) as running:
        yield running


@pytest.mark.parametrize("name", BUSY)
async def test_a_script_that_holds_the_page_is_ended_and_the_page_read(
    reader: Reader, name: str
) -> None:
    outcome = await reader.beside(f"/busy/{name}", deadline_s=5)
    ends = {"complete", "deadline", "script", "max_nodes", "page_unresponsive"}
    if name in ("writes", "mutations"):
        # What they add takes memory: on a fast machine the renderer's bound may come first.
        ends |= {"too_large", "page_crashed"}
    assert outcome in ends
    if name in ("loop", "after-load", "backtracking", "sync-request"):
        assert outcome in ("deadline", "script")


@pytest.mark.parametrize("name", HUNGRY)
async def test_memory_without_end_ends_the_renderer_and_nothing_else(
    reader: Reader, name: str
) -> None:
    browser = reader.extractor.pool.state.browser_pid
    wish = {"wait": {"delay_ms": 4_000}} if name == "worker-arrays" else {}
    outcome = await reader.beside(f"/hungry/{name}", deadline_s=10, **wish)
    assert outcome in ("too_large", "page_crashed", "deadline", "max_workers", "page_unresponsive")
    assert processes.process(browser) is not None


@pytest.mark.parametrize("name", HEAVY)
async def test_heavy_style_and_layout_end_by_the_deadline(reader: Reader, name: str) -> None:
    outcome = await reader.beside(f"/heavy/{name}", deadline_s=15)
    assert outcome in ("complete", "deadline", "script", "page_unresponsive")


@pytest.mark.parametrize("name", TOLD)
async def test_attempts_without_end_are_counted_and_stop_the_page(
    reader: Reader, name: str
) -> None:
    _, setting = TOLD[name]
    page = await reader.read(f"/told/{name}")
    assert page.incomplete_reason == setting
    assert "plain words" in page.content["text"]
    kind = {"max_dialogs": "dialog", "max_popups": "popup"}[setting]
    assert sum(notice.count for notice in page.warnings if notice.code == kind) > 10
    await reader.healthy()


async def test_dialogs_are_dismissed_listed_and_hold_nothing_up(reader: Reader) -> None:
    contexts = reader.extractor.pool.state.busy
    page = await reader.read("/manners", wait={"delay_ms": 600})
    assert page.complete
    assert "after alert false null" in page.content["text"]
    assert "a popup" not in page.content["text"]
    told = {(notice.code, notice.text): notice.count for notice in page.warnings}
    assert told == {
        ("dialog", "alert: hello"): 1,
        ("dialog", "confirm: ok?"): 1,
        ("dialog", "prompt: name"): 1,
        ("dialog", "alert: late"): 1,
        ("dialog", "print"): 1,
        ("popup", reader.site.url("/pop")): 1,
    }
    assert [target for target, _ in reader.site.seen if target == "/pop"] == []
    assert reader.extractor.pool.state.busy == contexts
    await reader.healthy()
