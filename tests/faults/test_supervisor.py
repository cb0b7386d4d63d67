"""Life and death of the real browser under the pool."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from extractor.browser import launch
from extractor.browser.supervisor import BrowserPool
from extractor.egress.proxy import EgressProxy
from extractor.errors import BrowserMissing, Busy, DeadlineExceeded, Draining
from extractor.settings import ExtractorSettings


def in_s(seconds: float) -> float:
    return asyncio.get_running_loop().time() + seconds


@pytest_asyncio.fixture
async def proxy() -> AsyncIterator[EgressProxy]:
    async with EgressProxy(ExtractorSettings()) as running:
        running.register("k")
        running.register("other")
        yield running


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


async def test_life_of_a_pool(proxy: EgressProxy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(launch.BYPASS_VARIABLE, "1")
    pool = BrowserPool(ExtractorSettings(concurrency=1, queue_size=1, recycle_pages=4), proxy)
    await pool.start()
    pids: set[int] = set()
    try:
        assert pool._running is not None
        assert pool._running.pid is not None
        first = pool._running.pid
        pids.add(first)

        async with pool.lease("k", {}, deadline=in_s(10)):
            waiting = asyncio.create_task(_use(pool, 10))
            await asyncio.sleep(0)
            with pytest.raises(Busy) as caught:
                await _use(pool, 10)
            assert caught.value.retry_after_s >= 1
        await waiting
        async with pool.lease("k", {}, deadline=in_s(10)) as lease:
            with pytest.raises(DeadlineExceeded):
                await _use(pool, 0.05)
            # The fourth page since the start, its self-test included: the browser is replaced after it.
            assert lease.browser.is_connected()
        async with pool.lease("other", {}, deadline=in_s(10)):
            second = pool._running.pid
            assert second is not None
            assert second != first
            pids.add(second)
            launch.kill(second)
            await asyncio.sleep(0.3)
        async with pool.lease("k", {}, deadline=in_s(10)) as lease:
            page = await lease.context.new_page()
            assert await page.evaluate("1 + 1") == 2
            third = pool._running.pid
            assert third is not None
            assert third not in pids
            pids.add(third)
    finally:
        await pool.close()
    with pytest.raises(Draining):
        await _use(pool, 1)
    assert not [pid for pid in pids if alive(pid)]


async def test_a_missing_browser_is_said_at_start(proxy: EgressProxy, tmp_path: Path) -> None:
    pool = BrowserPool(ExtractorSettings(chromium_path=tmp_path / "none"), proxy)
    with pytest.raises(BrowserMissing):
        await pool.start()


async def _use(pool: BrowserPool, seconds: float) -> None:
    async with pool.lease("other", {}, deadline=in_s(seconds)):
        pass
