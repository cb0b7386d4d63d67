"""Controls in frames of other origins: in the page's process and in another, nested, moved, covered and gone."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from extractor.tabs import NotActionable, Scan, StaleRef, TabAct, Tabs
from extractor.tabs.results import Control
from tests.browser.site import Routes
from tests.browser.tab_steps import Harbour, click, harbour_of, look, opened, ref_of, run

pytestmark = pytest.mark.asyncio(loop_scope="module")

OUTER = """<!DOCTYPE html><title>Outer</title><button>Own</button><div style="height:1500px"></div>
<iframe id=apart src="/form?apart" sandbox="allow-scripts allow-forms" style="padding:30px;border:5px solid"></iframe>
<script>document.write(`<iframe id=far src="http://localhost:${location.port}/nesting" width=600 height=500></iframe>`)
</script>"""
FORM = """<!DOCTYPE html><body style="margin:0"><div style="height:60px"></div>
<label>Name <input id=name></label><label>Kind <select><option>Yawl<option>Ketch</select></label>
<button onclick="this.textContent = 'Pressed ' + document.querySelector('#name').value">Press</button>"""
NESTING = """<!DOCTYPE html><button onclick="this.textContent = 'Far pressed'">Far</button>
<script>document.write(`<iframe src="http://127.0.0.1:${location.port}/form?inner" width=500 height=300></iframe>`)
</script>"""
ROUTES: Routes = {"/": OUTER, "/form": FORM, "/nesting": NESTING}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def harbour(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Harbour]:
    async with harbour_of(ROUTES, tmp_path_factory.mktemp("tabs")) as harbour:
        yield harbour


def within(scan: Scan, frame: str, name: str) -> Control:
    """The one that is called so in the frame whose address has ``frame`` in it."""
    [found] = [each for each in scan.controls if each.name == name and frame in each.frame]
    return found


async def test_controls_in_frames_of_other_origins_are_listed_and_can_be_acted_on(
    harbour: Harbour,
) -> None:
    async with opened(harbour, "/") as (tabs, site, tab):
        seen = await look(tabs, tab)
        assert within(seen, "", "Own").frame == ""
        assert within(seen, "/nesting", "Far").frame == site.url("/nesting", "localhost")
        refs = [control.ref for control in seen.controls]
        assert len(set(refs)) == len(refs) == 8
        assert not within(seen, "apart", "Press").in_view
        for frame in ("apart", "inner"):
            field = within(seen, frame, "Name").ref
            await act(tabs, tab.id, "type", field, text="Ada")
            await act(tabs, tab.id, "type", field, text=f"Bell {frame}")
            await act(tabs, tab.id, "select", within(seen, frame, "Kind").ref, values=("Ketch",))
            press = TabAct(action="click", ref=within(seen, frame, "Press").ref)
            told = await tabs.act(tab.id, press)
            assert [each.text for each in told.changed] == [f"Pressed Bell {frame}"]
        await act(tabs, tab.id, "click", within(seen, "/nesting", "Far").ref)
        after = await look(tabs, tab)
        assert within(after, "/nesting", "Far pressed").ref == within(seen, "/nesting", "Far").ref
        for frame in ("apart", "inner"):
            pressed = within(after, frame, f"Pressed Bell {frame}")
            assert pressed.ref == within(seen, frame, "Press").ref
            assert within(after, frame, "Kind").value == "Ketch"
        assert within(after, "inner", "Pressed Bell inner").in_view


async def test_what_stands_over_a_frame_covers_what_is_in_it_and_a_frame_takes_its_refs_along(
    harbour: Harbour,
) -> None:
    async with opened(harbour, "/") as (tabs, _, tab):
        seen = await look(tabs, tab)
        lid = "<div id=lid style='position:fixed;inset:0;background:#fff'>Lid</div>"
        await run(tabs, tab, f'document.body.insertAdjacentHTML("beforeend", "{lid}")', quiet_ms=0)
        with pytest.raises(NotActionable, match='covered by div "Lid"'):
            await click_in(tabs, tab.id, seen, "inner")
        await run(tabs, tab, "lid.remove(); apart.src = '/form?anew'; 1", quiet_ms=300)
        with pytest.raises(StaleRef, match="gone"):
            await click_in(tabs, tab.id, seen, "apart")
        await run(tabs, tab, "far.remove(); 1", quiet_ms=0)
        with pytest.raises(StaleRef, match="gone"):
            await click_in(tabs, tab.id, seen, "inner")
        # A page that leaves its frames alone can still be driven.
        assert (await click(tabs, tab, seen, "Own")).refused == ()
        again = await look(tabs, tab)
        assert ref_of(again, "Own") == ref_of(seen, "Own")
        assert within(again, "anew", "Press").ref not in {each.ref for each in seen.controls}


async def act(tabs: Tabs, tab: str, action: str, ref: str, **more: object) -> None:
    wanted = {"action": action, "ref": ref, "quiet_ms": 0, **more}
    await tabs.act(tab, TabAct.model_validate(wanted))


async def click_in(tabs: Tabs, tab: str, scan: Scan, frame: str) -> None:
    await act(tabs, tab, "click", within(scan, frame, "Press").ref)
