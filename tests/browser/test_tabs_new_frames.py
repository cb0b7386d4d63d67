"""Frames that appear while a step is taken: what they show, say, ask and change is told by that step."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from extractor.tabs import Outcome, TabAct
from tests.browser.site import Routes
from tests.browser.tab_steps import Harbour, click, harbour_of, look, opened, ref_of, run

pytestmark = pytest.mark.asyncio(loop_scope="module")

PAGE = """<!DOCTYPE html><title>Pier</title><p>Pier</p><div id=place></div>
<script>
const put = (source) => { const frame = document.createElement('iframe'); frame.src = source; place.append(frame); };
const write = (text) => {
  const frame = document.createElement('iframe');
  place.append(frame);
  frame.contentDocument.open(); frame.contentDocument.write(text); frame.contentDocument.close();
};
addEventListener('message', () => place.replaceChildren());
</script>
<button onclick="put('/cabin')">Cabin</button><button onclick="put('/hold')">Hold</button>
<button onclick="write('<p>Written down</p>')">Write</button>
<button onclick="place.innerHTML = '<b><iframe srcdoc=\\'<p>In the text</p>\\'></iframe></b>'">Inside</button>
<button onclick="put('/asking')">Asking</button><button onclick="put('/brief')">Brief</button>"""
CABIN = """<!DOCTYPE html><p>A berth</p><input aria-label=Log><p id=toast></p><script>
setTimeout(() => { toast.textContent = 'Anchor aweigh' }, 60);
setTimeout(() => { toast.textContent = '' }, 260);
setTimeout(() => { toast.insertAdjacentHTML('afterend', '<p>Under sail</p>') }, 300);
</script>"""
HOLD = "<!DOCTYPE html><p>The hold</p><iframe src=/cabin></iframe>"
ASKING = """<!DOCTYPE html><script>
document.write('<p>' + (confirm('Take the pilot?') ? 'Piloted' : 'Alone') + '</p>')</script>"""
BRIEF = "<!DOCTYPE html><p>Squall ahead</p><script>setTimeout(() => parent.postMessage(1, '*'), 200)</script>"
ROUTES: Routes = {
    "/": PAGE,
    "/cabin": CABIN,
    "/hold": HOLD,
    "/asking": ASKING,
    "/brief": BRIEF,
}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def harbour(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Harbour]:
    async with harbour_of(ROUTES, tmp_path_factory.mktemp("tabs")) as harbour:
        yield harbour


def told(done: Outcome) -> str:
    return " / ".join(each.text for each in done.changed if each.kind != "attribute")


@pytest.mark.parametrize("name", ["Cabin", "Hold"])
async def test_what_a_new_frame_shows_and_says_for_a_moment_is_told_by_the_step_that_made_it(
    harbour: Harbour, name: str
) -> None:
    async with opened(harbour, "/") as (tabs, _, tab):
        done = await click(tabs, tab, await look(tabs, tab), name, quiet_ms=400)
        assert "A berth" in told(done)
        assert "Under sail" in told(done)
        assert any("Anchor aweigh" in each for each in done.transient)
        # It is watched by the next step as frames always were, and what was told is no news.
        later = await run(
            tabs,
            tab,
            "let view = window; while (view.frames.length) view = view.frames[0];"
            "view.document.querySelector('p').textContent = 'A bunk'; 1",
        )
        assert [each.text for each in later.changed] == ["A bunk"]
        log = TabAct(action="type", ref=ref_of(await look(tabs, tab), "Log"), text="Fair wind")
        assert ("value", "Fair wind") in {
            (each.kind, each.text) for each in (await tabs.act(tab.id, log)).changed
        }


@pytest.mark.parametrize(("name", "text"), [("Write", "Written down"), ("Inside", "In the text")])
async def test_a_frame_without_an_address_is_told_of_too(
    harbour: Harbour, name: str, text: str
) -> None:
    async with opened(harbour, "/") as (tabs, _, tab):
        assert text in told(await click(tabs, tab, await look(tabs, tab), name))


async def test_a_frame_that_goes_to_another_document_tells_what_stands_there(
    harbour: Harbour,
) -> None:
    async with opened(harbour, "/") as (tabs, _, tab):
        await click(tabs, tab, await look(tabs, tab), "Asking", dialogs="accept")
        done = await run(tabs, tab, "document.querySelector('iframe').src = '/cabin'; 1")
        assert "A berth" in told(done)


async def test_a_new_frame_asks_within_the_step_that_made_it(harbour: Harbour) -> None:
    async with opened(harbour, "/") as (tabs, _, tab):
        done = await click(tabs, tab, await look(tabs, tab), "Asking", dialogs="accept")
        assert [(each.message, each.answer) for each in done.dialogs] == [
            ("Take the pilot?", "accepted")
        ]
        assert "Piloted" in told(done)


async def test_a_frame_that_came_and_went_within_a_step_is_a_passing_text(
    harbour: Harbour,
) -> None:
    async with opened(harbour, "/") as (tabs, _, tab):
        done = await click(tabs, tab, await look(tabs, tab), "Brief", quiet_ms=400)
        assert "Squall ahead" in done.transient
        assert "Squall" not in told(done)
