"""Going back and forward in a tab: where it is then, what is stale, and that changes are told as ever."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from extractor.tabs import StaleRef
from tests.browser.site import Routes
from tests.browser.tab_steps import Harbour, click, harbour_of, look, opened, run

pytestmark = pytest.mark.asyncio(loop_scope="module")

FIRST = """<!DOCTYPE html><title>First</title><script>
addEventListener('pageshow', (event) => { globalThis.kept = event.persisted; });
</script><p id=word>Outbound</p><iframe srcdoc="<p>Aft"></iframe>
<button onclick="word.textContent = 'Pressed'">Press</button><a href=/second>On</a>"""
SECOND = """<!DOCTYPE html><title>Second</title><p id=word>Inbound</p>
<button onclick="word.textContent = 'Signed'">Sign</button>"""
ROUTES: Routes = {"/": FIRST, "/second": SECOND}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def harbour(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Harbour]:
    async with harbour_of(ROUTES, tmp_path_factory.mktemp("tabs")) as harbour:
        yield harbour


async def test_going_back_loads_anew_and_refs_of_both_documents_are_stale(harbour: Harbour) -> None:
    async with opened(harbour, "/") as (tabs, site, tab):
        first = await look(tabs, tab)
        assert [each.text for each in (await click(tabs, tab, first, "Press")).changed] == [
            "Pressed"
        ]
        assert (await click(tabs, tab, first, "On")).navigated == site.url("/second")
        second = await look(tabs, tab)
        back = await run(tabs, tab, "history.back()")
        assert back.navigated == site.url("/")
        # Nothing was kept in memory that could stand beside the document that is shown.
        assert (await run(tabs, tab, "[kept, word.textContent].join()")).value == "false,Outbound"
        for scan, name in ((first, "Press"), (second, "Sign")):
            with pytest.raises(StaleRef, match="scan the tab again"):
                await click(tabs, tab, scan, name)
        again = await look(tabs, tab)
        pressed = await click(tabs, tab, again, "Press")
        assert [(each.kind, each.text) for each in pressed.changed] == [("text", "Pressed")]
        changed = await run(tabs, tab, "frames[0].document.body.firstChild.textContent = 'Fore'; 1")
        assert [each.text for each in changed.changed] == ["Fore"]
        forward = await run(tabs, tab, "history.forward()")
        assert forward.navigated == site.url("/second")
        signed = await click(tabs, tab, await look(tabs, tab), "Sign")
        assert [each.text for each in signed.changed] == ["Signed"]


async def test_going_back_within_a_document_keeps_its_refs(harbour: Harbour) -> None:
    async with opened(harbour, "/") as (tabs, site, tab):
        seen = await look(tabs, tab)
        await run(tabs, tab, "history.pushState(1, '', '/deep'); word.textContent = 'Deep'; 1")
        script = "onpopstate = () => { word.textContent = 'Shallow' }; history.back()"
        back = await run(tabs, tab, script)
        assert [each.text for each in back.changed] == ["Shallow"]
        assert back.tab.url == site.url("/")
        pressed = await click(tabs, tab, seen, "Press")
        assert [each.text for each in pressed.changed] == ["Pressed"]
