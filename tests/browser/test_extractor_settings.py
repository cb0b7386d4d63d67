"""What settings and ``render="auto"`` do from the address to the page."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from extractor import Extractor, PageRequest
from extractor.errors import BudgetImpossible
from extractor.settings import ExtractorSettings
from tests.browser.site import Answer, Site, serve

PLAIN = "<title>Tides</title><p>Low water is at four.</p>"
PIXEL = Answer(b"GIF89a", headers={"Content-Type": "image/gif"})


@asynccontextmanager
async def running(site: Site, folder: Path, **settings: Any) -> AsyncIterator[Extractor]:
    chosen = ExtractorSettings(
        data_dir=folder, concurrency=1, allow_hosts=(f"127.0.0.1:{site.port}",), **settings
    )
    async with Extractor(chosen) as extractor:
        yield extractor


async def test_auto_says_why_it_took_a_browser_or_did_without(tmp_path: Path) -> None:
    script = "<div id=a></div><script>a.textContent = 'Written by a script.'</script>"
    async with (
        serve({"/plain": PLAIN, "/script": script}) as site,
        running(site, tmp_path) as extractor,
    ):
        plain = await extractor.extract(PageRequest(url=site.url("/plain"), render="auto"))
        script_page = await extractor.extract(PageRequest(url=site.url("/script"), render="auto"))
    [notice] = [each for each in plain.warnings if each.code == "render"]
    assert notice.text.startswith("read without a browser")
    [notice] = [each for each in script_page.warnings if each.code == "render"]
    assert notice.text == "read in a browser: the page has scripts"
    assert "Written by a script." in script_page.content["html"]


@pytest.mark.parametrize(("blocks", "asks"), [(True, False), (False, True)])
async def test_pictures_are_loaded_where_the_operator_wants_it(
    tmp_path: Path, blocks: bool, asks: bool
) -> None:
    async with (
        serve({"/": "<p>Chart</p><img src=/chart.gif alt=Chart>", "/chart.gif": PIXEL}) as site,
        running(site, tmp_path, block_media=blocks) as extractor,
    ):
        await extractor.extract(PageRequest(url=site.url()))
        assert ("/chart.gif" in {path for path, _ in site.seen}) is asks


async def test_long_label_for_screen_readers_is_hidden_past_the_setting(tmp_path: Path) -> None:
    label = "position:absolute;width:1px;height:1px;overflow:hidden;clip:rect(0 0 0 0)"
    page = f"<p>Seen.</p><span style='{label}'>Opens in a new window</span>"
    async with (
        serve({"/": page}) as site,
        running(site, tmp_path, sr_only_chars=10) as extractor,
    ):
        result = await extractor.extract(PageRequest(url=site.url(), render="static"))
    assert "new window" not in result.content["html"]
    assert [item.reason for item in result.hidden] == ["clip"]


async def test_failure_of_the_filter_is_its_own_and_no_group(tmp_path: Path) -> None:
    async with serve({"/": PLAIN}) as site, running(site, tmp_path) as extractor:
        with pytest.raises(BudgetImpossible):
            await extractor.extract(PageRequest(url=site.url(), render="static", budget=20))
