"""Pages that stay open, in a real browser: what a step tells, and where tabs end."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

from extractor.errors import (
    BrowserCrashed,
    Busy,
    ExtractorError,
    NotFound,
    PageCrashed,
    PageUnresponsive,
)
from extractor.tabs import (
    NotActionable,
    TabAct,
    TabOpen,
    Tabs,
    text_of,
)
from tests.browser.site import Answer, Routes, Site
from tests.browser.tab_steps import harbour_of, look, opened, ref_of, run
from tests.faults.pools import kinds, until

pytestmark = pytest.mark.asyncio(loop_scope="module")

MESSAGES = """<!DOCTYPE html><title>Messages</title><style>.off{display:none}</style>
<p id=still>Low water at four</p><div id=toast class=off>Saved by class</div><x-box></x-box>
<input id=name aria-label=Name><input id=secret type=password aria-label=Secret>
<script>
const later = (ms, work) => setTimeout(work, ms);
const toast = document.querySelector("#toast");
const root = document.querySelector("x-box").attachShadow({mode: "open"});
</script>"""
OPENING = """<!DOCTYPE html><title>Opener</title>
<a href="/other" target="_blank">Other</a><a href="/file.pdf">File</a><a href="/save">Save</a>
<iframe src="/inner" style="margin:40px" title="Inner"></iframe>
<script>localStorage.setItem("who", "Ada")</script>"""
OTHER = "<!DOCTYPE html><title>Other</title><p id=who></p><script>who.textContent = localStorage.who</script>"
INNER = "<!DOCTYPE html><button onclick=\"this.textContent='Pressed'\">Inner button</button>"
FIELDS = """<!DOCTYPE html><title>Fields</title><form onsubmit="sent.value = 'yes'; return false">
<input type=date aria-label=Day><input type=range aria-label=Force max=12>
<textarea aria-label=Log></textarea><div contenteditable aria-label=Note>old</div>
<select multiple aria-label=Boats><option>Ada<option>Bell<option>Cora</select>
<label for=c>Agree</label><input id=c type=checkbox style="position:absolute;opacity:0">
<input aria-label=Find><output id=sent></output></form>
<div id=box tabindex=0 aria-label=Box style="height:100px;overflow:auto"><p style="height:900px">Long</p></div>"""

ROUTES: Routes = {
    "/fields": FIELDS,
    "/": "<!DOCTYPE html><title>Plain</title><p>Low water</p>",
    "/messages": MESSAGES,
    "/opening": OPENING,
    "/other": OTHER,
    "/inner": INNER,
    "/file.pdf": Answer(b"%PDF-1.4", headers={"Content-Type": "application/pdf"}),
    "/save": Answer("x", headers={"Content-Disposition": "attachment; filename=x.html"}),
}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def harbour(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[tuple[Tabs, Site]]:
    limits = {"max_tabs": 3, "tenant_tabs": 1, "tab_popups": 1, "tab_idle_s": 60, "max_dialogs": 3}
    async with harbour_of(ROUTES, tmp_path_factory.mktemp("tabs"), **limits) as harbour:
        yield harbour


async def test_texts_that_come_and_go_are_told_however_they_are_shown(
    harbour: tuple[Tabs, Site],
) -> None:
    async with opened(harbour, "/messages") as (tabs, _, tab):
        by_class = await run(
            tabs, tab, "toast.className = ''; later(400, () => { toast.className = 'off' }); 1"
        )
        assert by_class.transient == ("Saved by class",)
        in_shadow = await run(
            tabs,
            tab,
            "root.innerHTML = '<p>Saved in the shadow</p>'; later(400, () => { root.innerHTML = '' }); 1",
        )
        assert in_shadow.transient == ("Saved in the shadow",)
        by_text = await run(
            tabs,
            tab,
            "later(200, () => { still.textContent = 'Saving' });"
            "later(600, () => { still.textContent = 'Low water at five' }); 1",
        )
        assert by_text.transient == ("Saving",)
        assert by_text.largest is not None
        assert by_text.largest.text == "Low water at five"
        # The same text in a new element has not gone.
        again = await run(tabs, tab, "still.outerHTML = still.outerHTML; 1")
        assert again.transient == ()
        assert [(each.kind, each.text) for each in again.changed] == [
            ("added", "Low water at five")
        ]


async def test_fields_tell_what_they_hold_but_no_password(harbour: tuple[Tabs, Site]) -> None:
    async with opened(harbour, "/messages") as (tabs, _, tab):
        seen = await look(tabs, tab)
        for name, text in (("Name", "Ada"), ("Secret", "hush-hush")):
            act = TabAct(action="type", ref=ref_of(seen, name), text=text)
            done = await tabs.act(tab.id, act)
            assert "hush" not in text_of(done)
        after = await look(tabs, tab, changes_only=True)
        assert [(each.name, each.value) for each in after.controls] == [("Name", "Ada")]
        assert (await run(tabs, tab, "secret.value")).value == "hush-hush"
        done = await tabs.act(
            tab.id, TabAct(action="type", ref=ref_of(seen, "Name"), text=" Lovelace", append=True)
        )
        assert (
            await run(tabs, tab, "document.querySelector('#name').value")
        ).value == "Ada Lovelace"


async def test_fields_of_every_kind_take_what_is_given_to_them(
    harbour: tuple[Tabs, Site],
) -> None:
    async with opened(harbour, "/fields") as (tabs, _, tab):
        seen = await look(tabs, tab)
        fields: dict[str, dict[str, Any]] = {
            "Day": {"action": "type", "text": "2026-11-30"},
            "Force": {"action": "type", "text": "7"},
            "Log": {"action": "type", "text": "low water\nat four"},
            "Note": {"action": "type", "text": "new"},
            "Boats": {"action": "select", "values": ("Ada", "Cora")},
            "Agree": {"action": "click"},
            "Find": {"action": "type", "text": "two\nlines", "submit": True},
            "Box": {"action": "scroll", "to": "end"},
        }
        for name, wanted in fields.items():
            act = {"ref": ref_of(seen, name), "quiet_ms": 0, **wanted}
            await tabs.act(tab.id, TabAct.model_validate(act))
        told = await run(
            tabs,
            tab,
            "[...document.querySelectorAll('input, textarea, output')].map((each) =>"
            " each.type === 'checkbox' ? each.checked : each.value).join('|')"
            " + '|' + document.querySelector('[contenteditable]').textContent"
            " + '|' + [...document.querySelector('select').selectedOptions].map((o) => o.text)"
            " + '|' + (box.scrollTop > 700)",
        )
        held = "2026-11-30|7|low water\nat four|true|two lines|yes|new|Ada,Cora|true"
        assert told.value == held
        wrong = TabAct(action="type", ref=ref_of(seen, "Day"), text="yesterday")
        with pytest.raises(NotActionable, match="date"):
            await tabs.act(tab.id, wrong)
        with pytest.raises(NotActionable, match="Ada, Bell, Cora"):
            await tabs.act(
                tab.id, TabAct(action="select", ref=ref_of(seen, "Boats"), values=("Dora",))
            )


async def test_tabs_that_a_page_opens_share_its_storage_and_their_number_is_bounded(
    harbour: tuple[Tabs, Site],
) -> None:
    async with opened(harbour, "/opening") as (tabs, site, tab):
        seen = await look(tabs, tab)
        done = await tabs.act(tab.id, TabAct(action="click", ref=ref_of(seen, "Other")))
        [other] = done.new_tabs
        assert (other.url, other.opener) == (site.url("/other"), tab.id)
        read = await look(tabs, other)
        assert read.page is not None
        assert "Ada" in read.page.content["text"]
        more = await tabs.act(tab.id, TabAct(action="click", ref=ref_of(seen, "Other")))
        assert more.new_tabs == ()
        assert more.refused == ("a new tab was refused: tab_popups",)
        assert [each.id for each in tabs.list()] == [tab.id, other.id]
        # Inside a frame of its own origin, whose place in the window counts.
        pressed = await tabs.act(tab.id, TabAct(action="click", ref=ref_of(seen, "Inner button")))
        assert pressed.refused == ()
        assert [each.text for each in pressed.changed] == ["Pressed"]
        assert "Pressed" in [control.name for control in (await look(tabs, tab)).controls]
        saved = await tabs.act(tab.id, TabAct(action="click", ref=ref_of(seen, "Save")))
        assert saved.navigated == ""
        assert saved.refused == (f"a download was refused: {site.url('/save')}",)
        storm = await run(tabs, tab, "for (let i = 0; i < 100; i++) window.open('/other'); 1")
        assert "the page was stopped: it went past tab_popups" in storm.refused
        assert len(tabs.list()) == 2
        await tabs.close(tab.id)
        assert [each.id for each in tabs.list()] == [other.id]
        assert (await run(tabs, other, "document.title")).value == "Other"


async def test_a_page_that_never_stops_asking_is_stopped_and_can_still_be_read(
    harbour: tuple[Tabs, Site],
) -> None:
    async with opened(harbour, "/") as (tabs, _, tab):
        asked = await run(tabs, tab, "prompt('Who?')", dialogs="accept", prompt_text="Ada")
        assert asked.value == "Ada"
        assert [(each.kind, each.message, each.answer) for each in asked.dialogs] == [
            ("prompt", "Who?", "accepted")
        ]
        # Only a script that does something else too is ended at once: one that only asks, a thousand later.
        asking = "for (;;) { alert('again'); for (let n = 0; n < 1e6; n++); }"
        stopped = await run(tabs, tab, asking, deadline_s=10)
        assert stopped.refused == ("the page was stopped: it went past max_dialogs",)
        read = await look(tabs, tab)
        assert read.page is not None
        assert read.page.content["text"].strip() == "Low water"
        with pytest.raises(PageUnresponsive, match="max_dialogs"):
            await run(tabs, tab, "1")


async def test_as_many_tabs_as_the_settings_allow_and_each_for_its_time(
    harbour: tuple[Tabs, Site],
) -> None:
    async with opened(harbour, "/") as (tabs, site, tab):
        theirs = await tabs.open(TabOpen(url=site.url()), tenant="acme")
        with pytest.raises(Busy, match="tenant_tabs") as refused:
            await tabs.open(TabOpen(url=site.url()), tenant="acme")
        assert refused.value.retry_after_s > 1
        await tabs.open(TabOpen(url=site.url()), tenant="zenith")
        with pytest.raises(Busy, match="max_tabs"):
            await tabs.open(TabOpen(url=site.url()), tenant="third")
        with pytest.raises(NotFound):
            await tabs.close(theirs.id)
        for live in tabs._shelf.all():  # nobody waits for a minute here
            live.used_at -= 60
        async with asyncio.timeout(40):
            while tabs.count or tabs.pool.state.busy:
                await asyncio.sleep(0.1)
        with pytest.raises(NotFound, match="tab_idle_s"):
            await run(tabs, tab, "1")
        with pytest.raises(NotFound) as other:
            await run(tabs, theirs, "1")
        assert "tab_idle_s" not in other.value.message


async def test_no_step_is_ended_by_the_time_of_its_tab_and_none_is_begun_after_it(
    harbour: tuple[Tabs, Site],
) -> None:
    async with opened(harbour, "/") as (tabs, _, tab):
        slow = "new Promise((done) => setTimeout(done, 1500, 7))"
        steps = [asyncio.ensure_future(run(tabs, tab, slow, quiet_ms=0)) for _ in range(2)]
        [live] = tabs._shelf.all()
        await until(live.lock.locked)
        live.opened_at -= 3_600
        assert (await steps[0]).value == "7"
        with pytest.raises(NotFound, match="tab_life_s"):
            await steps[1]
        assert tabs.list() == ()


async def test_a_page_that_brings_its_renderer_down_is_at_its_end_and_says_so(
    harbour: tuple[Tabs, Site],
) -> None:
    async with opened(harbour, "/") as (tabs, site, tab):
        for renderer in kinds(tabs.pool.state.browser_pid, "renderer"):
            os.kill(renderer, signal.SIGKILL)
        for _ in range(2):
            with pytest.raises(PageCrashed):
                await run(tabs, tab, "1")
        assert tabs.list() == ()
        again = await tabs.open(TabOpen(url=site.url()))
        assert (await run(tabs, again, "1")).value == "1"


async def test_a_browser_that_dies_takes_its_tabs_and_the_next_opens_in_another(
    harbour: tuple[Tabs, Site],
) -> None:
    async with opened(harbour, "/") as (tabs, site, tab):
        os.kill(tabs.pool.state.browser_pid, signal.SIGKILL)
        with pytest.raises((BrowserCrashed, NotFound)):
            await run(tabs, tab, "1")
        with pytest.raises(ExtractorError) as told:
            tabs.get(tab.id)
        assert told.value.code == "browser_crashed"
        assert tabs.list() == ()
        again = await tabs.open(TabOpen(url=site.url()))
        assert (await run(tabs, again, "document.body.textContent.trim()")).value == "Low water"


async def test_calls_for_one_tab_come_one_after_the_other(harbour: tuple[Tabs, Site]) -> None:
    async with opened(harbour, "/messages") as (tabs, _, tab):
        both = await asyncio.gather(
            run(tabs, tab, "still.textContent = 'one'"), run(tabs, tab, "still.textContent")
        )
        assert [each.value for each in both] == ["one", "one"]
        # What covers a control keeps it from being hit; what is only below the fold does not.
        await run(
            tabs,
            tab,
            "document.body.insertAdjacentHTML('beforeend',"
            "'<div style=height:3000px></div><button onclick=\"this.textContent=1\">Deep</button>')",
        )
        seen = await look(tabs, tab)
        [deep] = [control for control in seen.controls if control.name == "Deep"]
        assert not deep.in_view
        await tabs.act(tab.id, TabAct(action="click", ref=deep.ref))
        after = await look(tabs, tab, changes_only=True)
        assert [control.name for control in after.controls] == ["1"]
        with pytest.raises(NotActionable):
            await tabs.act(tab.id, TabAct(action="select", ref=deep.ref, values=("x",)))
