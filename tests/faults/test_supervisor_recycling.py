"""Browsers are replaced while they finish what they have begun, and use leaves nothing behind."""

from __future__ import annotations

import asyncio
import dataclasses
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

import pytest

from extractor import Extractor, PageRequest
from extractor.browser import processes
from tests.browser.site import Routes, serve
from tests.faults.pools import alive, in_s, open_descriptors, reading, running_pool, until, use

HOLD = "<script>window.kept = []; for (let i = 0; i < 40; i++) kept.push(new Uint8Array(4e6).fill(1))</script>"


async def test_a_browser_that_has_served_its_pages_finishes_them_beside_its_successor() -> None:
    # The self-test counts as a page.
    async with running_pool(recycle_pages=3, concurrency=2) as pool:
        old = pool.state
        async with pool.lease("k", {}, deadline=in_s(20)) as lease:
            await use(pool)
            assert pool.state.browser_pid == old.browser_pid
            await until(lambda: pool.state.browser_pid != old.browser_pid)
            assert pool.state.browsers == 2
            page = await lease.context.new_page()
            assert await page.evaluate("1 + 1") == 2
            async with pool.lease("other", {}, deadline=in_s(20)) as beside:
                assert beside.browser is not lease.browser
        await until(lambda: pool.state.browsers == 1)
        assert pool.state.replaced == {"pages": 1}
        assert not alive(old.browser_pid)
        assert not alive(old.driver_pid)


async def test_a_browser_that_has_grown_is_replaced_too() -> None:
    async with running_pool(recycle_bytes=200_000_000, concurrency=2) as pool:
        old = pool.state
        async with pool.lease("k", {}, deadline=in_s(30)) as lease:
            page = await lease.context.new_page()
            await page.set_content(HOLD)
            await until(lambda: pool.state.browser_pid != old.browser_pid)
            assert await page.evaluate("kept.length") == 40
        await until(lambda: pool.state.browsers == 1)
        assert pool.state.replaced == {"memory": 1}
        await use(pool)


@dataclass(frozen=True, slots=True)
class _Footprint:
    processes: int
    contexts: int
    descriptors: int
    folders: int
    tasks: int

    def exceeds(self, other: _Footprint) -> bool:
        pairs = zip(dataclasses.astuple(self), dataclasses.astuple(other), strict=True)
        return any(mine > its for mine, its in pairs)

    @classmethod
    def of(cls, extractor: Extractor, temporary: Path) -> _Footprint:
        engine = extractor.pool._fleet.current
        assert engine is not None
        return cls(
            len(processes.below(os.getpid())),
            len(engine.browser.contexts),
            open_descriptors(),
            len(list(temporary.iterdir())),
            len(asyncio.all_tasks()),
        )


async def test_waves_of_load_leave_processes_contexts_descriptors_and_folders_as_they_were(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    routes: Routes = {"/": "<h1>Harbour</h1><iframe src=/in></iframe>", "/in": "<p>Inside</p>"}
    async with (
        serve(routes) as site,
        reading(tmp_path / "data", site.port, concurrency=4, recycle_pages=8) as extractor,
    ):
        seen: list[_Footprint] = []
        for wave in range(6):
            wanted = PageRequest(url=site.url("/"), format="text", render="browser")
            pages = await asyncio.gather(*(extractor.extract(wanted) for _ in range(4)))
            assert all("Inside" in page.content["text"] for page in pages)
            # The first two waves warm up: threads and the successor of the first browser come then.
            if wave == 1:
                seen.append(await _at_rest(extractor, temporary, None))
            elif wave > 1:
                seen.append(await _at_rest(extractor, temporary, seen[0]))
        replaced = extractor.pool.state.replaced
        assert set(replaced) == {"pages"}
        assert replaced["pages"] >= 2
    baseline, *later = seen
    assert not [each for each in later if each.exceeds(baseline)], seen


async def _at_rest(
    extractor: Extractor, temporary: Path, baseline: _Footprint | None
) -> _Footprint:
    """What is there once nothing moves any more; with a baseline, the same or what stays too much."""
    found, since = _Footprint.of(extractor, temporary), in_s(0)
    while in_s(0) - since < 5 and (
        baseline is None or found.exceeds(baseline) or extractor.pool.state.browsers > 1
    ):
        await asyncio.sleep(0.1)
        now = _Footprint.of(extractor, temporary)
        if now != found:
            found, since = now, in_s(0)
        elif baseline is None and in_s(0) - since > 2:
            break
    return found
