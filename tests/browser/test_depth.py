"""Depth: from the server and built by script; text is kept, or a crash is told as one."""

from __future__ import annotations

import contextlib

import pytest

from extractor import filter_snapshot
from extractor.errors import PageCrashed
from tests.browser.conftest import Loader
from tests.browser.reading import shown
from tests.browser.site import serve


@pytest.mark.parametrize("depth", [200, 300, 600])
async def test_nesting_from_the_server_is_kept(loader: Loader, depth: int) -> None:
    page = f"<main>{'<div>' * depth}deep words{'</div>' * depth}</main>"
    async with serve({"/": page}) as site:
        snapshot = await loader.load(site.url())
    assert shown(snapshot) == "deep words"
    assert "deep words" in filter_snapshot(snapshot, format="text").content["text"]


@pytest.mark.parametrize("depth", [600, 1500, 3000])
async def test_nesting_by_script_is_kept_or_told_as_a_crash(loader: Loader, depth: int) -> None:
    page = f"""<main id=m></main><script>let e=m;for(let i=0;i<{depth};i++)
    {{const d=document.createElement('div');e.append(d);e=d}} e.append('deep words')</script>"""
    async with serve({"/": page, "/next": "<p>next</p>"}) as site:
        # Past some depth the renderer itself may die: then that is what is said.
        with contextlib.suppress(PageCrashed) if depth > 1500 else contextlib.nullcontext():
            snapshot = await loader.load(site.url())
            assert shown(snapshot) == "deep words"
            assert "deep words" in filter_snapshot(snapshot).content["html"]
        assert shown(await loader.load(site.url("/next"))) == "next"
