"""Very large pages in a tab: what a reading that is too long leaves, and what is a change after a short one."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from extractor.errors import PageUnresponsive
from tests.browser.site import Routes
from tests.browser.tab_steps import Harbour, click, harbour_of, look, opened, run

pytestmark = pytest.mark.asyncio(loop_scope="module")


def rows(count: int) -> str:
    items = "".join(f"<li>Row {n} of the manifest</li>" for n in range(count))
    return f"<!DOCTYPE html><title>Rows</title><button>Stow</button><ol>{items}</ol><p id=end>End"


ROUTES: Routes = {"/": rows(2_000), "/huge": rows(60_000)}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def harbour(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Harbour]:
    folder = tmp_path_factory.mktemp("tabs")
    async with harbour_of(ROUTES, folder, budget_first_elements=500) as harbour:
        yield harbour


async def test_a_page_that_is_not_read_in_time_is_a_typed_failure_and_the_tab_stays(
    harbour: Harbour,
) -> None:
    async with opened(harbour, "/huge") as (tabs, _, tab):
        # Half of that is for reading, and no browser reads 120,000 nodes in a tenth of a second.
        with pytest.raises(PageUnresponsive) as failure:
            await look(tabs, tab, deadline_s=0.2)
        assert (failure.value.code, failure.value.retryable) == ("page_unresponsive", True)
        assert [each.id for each in tabs.list()] == [tab.id]
        seen = await look(tabs, tab, unfold=False)
        assert seen.page is not None
        assert seen.page.incomplete_reason == "budget_first"
        assert (await click(tabs, tab, seen, "Stow")).refused == ()


async def test_what_was_not_read_is_no_change_once_it_is(harbour: Harbour) -> None:
    async with opened(harbour, "/") as (tabs, _, tab):
        await look(tabs, tab, unfold=False)
        # There is nothing to compare with, so the page is told as a whole.
        whole = await look(tabs, tab, changes_only=True)
        assert whole.changes is None
        assert whole.page is not None
        await run(tabs, tab, "document.querySelector('#end').textContent = 'Done'; 1", quiet_ms=0)
        later = await look(tabs, tab, changes_only=True)
        assert later.changes is not None
        assert (later.changes.added, later.changes.removed) == (("Done",), ("End",))
        # Nor is what a short reading leaves out gone.
        short = await look(tabs, tab, changes_only=True, unfold=False)
        assert short.changes is None
