"""What a page does while nobody calls, and pages that would keep their callers waiting."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from extractor import ExtractorSettings
from extractor.browser.engine import Engine
from extractor.errors import BrowserCrashed, NotFound
from extractor.tabs import NotActionable, ScriptFailed, StaleRef, TabAct, TabOpen
from tests.browser.site import Routes
from tests.browser.tab_steps import Harbour, click, harbour_of, look, opened, ref_of, run

pytestmark = pytest.mark.asyncio(loop_scope="module")

# No script of its own: what a caller's script begins has to be waited for all the same.
QUAY = """<!DOCTYPE html><title>Quay</title><p id=tide>Low water</p><p id=clock>12:00:00</p>
<button onclick="this.textContent = 'Pressed'">Press</button><a href=/away>Away</a>
<button onclick="setTimeout(() => { tide.textContent = 'Slack water' }, 250)">Wait</button>"""
ROUTES: Routes = {"/": QUAY, "/away": "<!DOCTYPE html><title>Away</title><p>Out at sea"}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def harbour(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Harbour]:
    async with harbour_of(ROUTES, tmp_path_factory.mktemp("tabs"), tab_popups=1) as harbour:
        yield harbour


async def test_what_comes_and_goes_while_no_call_runs_is_told_by_the_next_and_once(
    harbour: Harbour,
) -> None:
    async with opened(harbour, "/") as (tabs, _, tab):
        await run(
            tabs,
            tab,
            "const say = (ms, text) => setTimeout(() => { tide.textContent = text }, ms);"
            "say(400, 'Gale warning'); say(600, 'Low water');"
            "let n = 0; const tick = setInterval(() => { clock.textContent = `12:00:0${++n % 9}` }, 50);"
            "setTimeout(() => clearInterval(tick), 600);"
            "setTimeout(() => confirm('Sink her?'), 500)",
            quiet_ms=0,
            dialogs="accept",
        )
        await asyncio.sleep(0.8)
        seen = await look(tabs, tab)
        assert "Gale warning" in seen.meanwhile
        assert len(seen.meanwhile) <= 2  # a clock is no message each time it ticks
        after = await click(tabs, tab, seen, "Press")
        assert after.meanwhile == ()
        # Nobody stood behind what was asked when the step had ended.
        assert [(each.message, each.answer) for each in after.dialogs] == [
            ("Sink her?", "dismissed")
        ]
        assert (await run(tabs, tab, "1")).dialogs == ()


async def test_what_only_reads_is_answered_at_once_and_all_else_is_waited_for(
    harbour: Harbour,
) -> None:
    async with opened(harbour, "/") as (tabs, _, tab):
        seen = await look(tabs, tab)
        for script, value in {
            "tide.textContent": "Low water",
            "return [...document.querySelectorAll('p')].map((p) => p.id)": '[\n "tide",\n "clock"\n]',
            "document.title.length": "4",
        }.items():
            read = await run(tabs, tab, script)
            assert (read.value, read.wait) == (value, "read_only")
        # Its inline handler is all the script that the page has.
        waited = await click(tabs, tab, seen, "Wait")
        assert [each.text for each in waited.changed] == ["Slack water"]
        late = await run(tabs, tab, "setTimeout(() => { tide.textContent = 'High water' }, 250); 1")
        assert [each.text for each in late.changed] == ["High water"]
        promised = await run(
            tabs, tab, "globalThis.boat = new Promise((done) => setTimeout(done, 50, 'Ada')); 1"
        )
        assert promised.wait != "read_only"
        assert (await run(tabs, tab, "boat")).value == "Ada"
        moved = await run(tabs, tab, "history.pushState({}, '', '/berth')")
        assert moved.navigated.endswith("/berth")


@pytest.mark.parametrize(
    ("script", "text"),
    [
        (
            "({get x() { throw new Error('no') }, y: 1})",
            '{\n "x": "[threw Error: no]",\n "y": 1\n}',
        ),
        ("(() => { const a = {}; a.a = a; return [a, a] })()", None),
        ("({toJSON() { throw 7 }})", "[threw 7]"),
        ("const one = {x: 1}; return [one, one]", '[\n {\n  "x": 1\n },\n {\n  "x": 1\n }\n]'),
        ("new Uint8Array(2)", "[\n 0,\n 0\n]"),
        ("[undefined, () => 1, -0, {a: undefined}]", '[\n null,\n "() => 1",\n 0,\n {}\n]'),
        ("({f: new Map([['a', new Set([1])]])})", '{\n "f": {\n  "a": [\n   1\n  ]\n }\n}'),
    ],
)
async def test_values_that_json_does_not_know_are_described(
    harbour: Harbour, script: str, text: str | None
) -> None:
    async with opened(harbour, "/") as (tabs, _, tab):
        told = await run(tabs, tab, script, quiet_ms=0)
        assert told.value_type == "object"
        assert text is None or told.value == text


async def test_endless_values_end(harbour: Harbour) -> None:
    async with opened(harbour, "/") as (tabs, _, tab):
        nested = "let a = {}; for (let i = 0; i < 1e5; i++) a = {a}; return a"
        deep = await run(tabs, tab, nested, quiet_ms=0)
        assert "[deeper]" in deep.whole
        assert any("cut" in text for text in deep.refused)
        endless = (
            "const next = () => new Proxy({}, {ownKeys: () => ['x', 'y'], get: (t, k) => "
            "k === 'then' || k === 'toJSON' ? undefined : next(),"
            " getOwnPropertyDescriptor: () => ({enumerable: true, configurable: true, value: 1})});"
            "return {first: next()}"
        )
        wide = await run(tabs, tab, endless, quiet_ms=0)
        assert len(wide.whole) <= 5_000_000
        with pytest.raises(ScriptFailed, match="Proxy"):
            await run(tabs, tab, "throw new Proxy({}, {get() { throw 1 }})")


async def test_a_script_that_holds_the_page_is_ended_by_the_next_call(
    harbour: Harbour, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("extractor.tabs.tab._PATIENCE_S", 1.0)  # it burns a processor so long
    async with opened(harbour, "/") as (tabs, _, tab):
        await run(tabs, tab, "setTimeout(() => { for (;;); }, 1500); 1", quiet_ms=0)
        await asyncio.sleep(1.6)
        seen = await look(tabs, tab, deadline_s=8)
        assert seen.page is not None
        told = await run(tabs, tab, "1")
        assert told.refused == ("a script that held the page was ended",)
        # A caller who leaves takes the script along, and the tab is free for the next.
        gone = asyncio.ensure_future(run(tabs, tab, "for (;;); 1", deadline_s=15))
        await asyncio.sleep(0.3)
        gone.cancel()
        await asyncio.gather(gone, return_exceptions=True)
        assert (await run(tabs, tab, "2", deadline_s=10)).value == "2"
        waiting = asyncio.ensure_future(run(tabs, tab, "new Promise(() => 0)", deadline_s=15))
        await asyncio.sleep(0.2)
        await tabs.close(tab.id)
        with pytest.raises(NotFound, match="closed"):
            await waiting


async def test_a_row_that_now_stands_for_something_else_is_not_acted_on(harbour: Harbour) -> None:
    async with opened(harbour, "/") as (tabs, _, tab):
        rows = "".join(
            f"<li><b>{name}</b> <i>1</i> <button aria-label='Sink {name}' onclick='this.dataset.done = 1'>"
            "Sink</button></li>"
            for name in ("Ada", "Bell")
        )
        await run(tabs, tab, f"tide.innerHTML = `{rows}`; 1", quiet_ms=0)
        seen = await look(tabs, tab)
        # What the row counts may change, and so may what the button says.
        await run(tabs, tab, "tide.querySelector('i').textContent = '12'; 1", quiet_ms=0)
        await click(tabs, tab, seen, "Sink Ada", quiet_ms=0)
        recycled = "tide.querySelectorAll('b')[1].textContent = 'Cora'; 1"
        await run(tabs, tab, recycled, quiet_ms=0)
        with pytest.raises(StaleRef, match="something else"):
            await click(tabs, tab, seen, "Sink Bell")
        done = "[...document.querySelectorAll('[data-done]')].length"
        assert (await run(tabs, tab, done)).value == "1"


async def test_whoever_asks_for_a_file_or_prints_gets_none_and_the_page_goes_on(
    harbour: Harbour,
) -> None:
    async with opened(harbour, "/") as (tabs, _, tab):
        field = "tide.innerHTML = '<input type=file aria-label=Chart><button onclick=print()>Print</button>'; 1"
        await run(tabs, tab, field, quiet_ms=0)
        seen = await look(tabs, tab)
        asked = await click(tabs, tab, seen, "Chart", quiet_ms=200)
        assert asked.refused == ("a file was asked for: none is given",)
        chart = ref_of(seen, "Chart")
        with pytest.raises(NotActionable, match="no text field"):
            await tabs.act(tab.id, TabAct(action="type", ref=chart, text="/etc/hostname"))
        assert (await click(tabs, tab, seen, "Print", quiet_ms=0)).refused == ()
        assert (await run(tabs, tab, "document.title")).value == "Quay"


async def test_no_page_can_lock_the_pointer(harbour: Harbour) -> None:
    async with opened(harbour, "/") as (tabs, _, tab):
        frame = "document.body.appendChild(document.createElement('iframe')).contentWindow"
        tried = await run(
            tabs,
            tab,
            f"[window, {frame}].map((w) => typeof w.Element.prototype.requestPointerLock)",
        )
        assert tried.value == '[\n "undefined",\n "undefined"\n]'


async def test_windows_that_are_opened_together_are_counted_together(harbour: Harbour) -> None:
    async with opened(harbour, "/") as (tabs, site, tab):
        done = await run(tabs, tab, "open('/away'); open('/away'); 1")
        assert [each.url for each in done.new_tabs] == [site.url("/away")]
        assert done.refused == ("a new tab was refused: tab_popups",)
        again = await run(tabs, tab, "setTimeout(() => 0); 1")
        assert (again.new_tabs, again.refused) == ((), ())


async def test_refs_end_with_their_element_and_with_their_document(harbour: Harbour) -> None:
    async with opened(harbour, "/") as (tabs, _, tab):
        seen = await look(tabs, tab)
        press = TabAct(action="click", ref=ref_of(seen, "Press"))
        await run(tabs, tab, "document.body.innerHTML += ''", quiet_ms=0)  # the same, rendered anew
        with pytest.raises(StaleRef, match="gone"):
            await tabs.act(tab.id, press)
        seen = await look(tabs, tab)
        press = TabAct(action="click", ref=ref_of(seen, "Press"))
        apart = "new Document().append(document.querySelector('button')); 1"
        await run(tabs, tab, apart, quiet_ms=0)
        with pytest.raises(StaleRef, match="gone"):
            await tabs.act(tab.id, press)
        away = TabAct(action="click", ref=ref_of(seen, "Away"))
        assert (await tabs.act(tab.id, away)).navigated.endswith("/away")
        with pytest.raises(StaleRef):
            await tabs.act(tab.id, away)
        await run(tabs, tab, "history.back()")
        with pytest.raises(StaleRef):  # a document anew, though it looks the same
            await tabs.act(tab.id, away)


async def test_a_browser_that_could_not_be_started_is_tried_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    failing = 2
    start = Engine.start

    async def sometimes(settings: ExtractorSettings, url: str, *, windows: bool = False) -> Engine:
        nonlocal failing
        if windows and failing:
            failing -= 1
            raise BrowserCrashed("It does not start.")
        return await start(settings, url, windows=windows)

    monkeypatch.setattr(Engine, "start", sometimes)
    async with harbour_of(ROUTES, tmp_path) as (tabs, site):
        await tabs.ready()  # none has been needed yet
        with pytest.raises(BrowserCrashed):
            await tabs.open(TabOpen(url=site.url()))
        assert tabs.pool.state.launches == 0
        with pytest.raises(BrowserCrashed):
            await tabs.ready()
        await tabs.ready()
        assert tabs.pool.state.launches == 1
        tab = await tabs.open(TabOpen(url=site.url()))
        assert (await run(tabs, tab, "document.title")).value == "Quay"
