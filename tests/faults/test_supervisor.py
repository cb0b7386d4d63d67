"""Life and death of the real browser under the pool."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path

import pytest

from extractor import Extractor, PageRequest
from extractor.browser.supervisor import BrowserPool
from extractor.egress.proxy import EgressProxy
from extractor.errors import (
    BrowserCrashed,
    BrowserMissing,
    Busy,
    DeadlineExceeded,
    Draining,
    ExtractorError,
)
from extractor.settings import ExtractorSettings
from tests.browser.site import Routes, serve
from tests.faults.pools import alive, fake_chromium, in_s, reading, running_pool, starts, until, use


async def test_life_of_a_pool() -> None:
    async with running_pool(concurrency=1, queue_size=1) as pool:
        assert pool.state.healthy
        pids = {pool.state.browser_pid, pool.state.driver_pid}
        async with pool.lease("k", {}, deadline=in_s(10)):
            waiting = asyncio.create_task(use(pool, 10))
            await asyncio.sleep(0)
            with pytest.raises(Busy) as caught:
                await use(pool, 10)
            assert caught.value.retry_after_s >= 1
            # Being busy is no illness.
            assert (pool.state.busy, pool.state.waiting, pool.healthy) == (1, 1, True)
        await waiting
        async with pool.lease("k", {}, deadline=in_s(10)):
            with pytest.raises(DeadlineExceeded):
                await use(pool, 0.05)
    assert not pool.healthy
    with pytest.raises(Draining):
        await use(pool)
    assert not [pid for pid in pids if alive(pid)]


async def test_a_missing_browser_is_said_at_start(tmp_path: Path) -> None:
    settings = ExtractorSettings(chromium_path=tmp_path / "none")
    async with EgressProxy(settings) as proxy:
        with pytest.raises(BrowserMissing):
            await BrowserPool(settings, proxy).start()


FAULTS = {
    "the browser is killed": (signal.SIGKILL, "browser_pid"),
    "the browser freezes": (signal.SIGSTOP, "browser_pid"),
    "the driver is killed": (signal.SIGKILL, "driver_pid"),
    "the driver freezes": (signal.SIGSTOP, "driver_pid"),
}


@pytest.mark.parametrize("fault", FAULTS)
async def test_a_request_in_a_lost_browser_fails_typed_and_the_queue_survives(
    fault: str, tmp_path: Path
) -> None:
    arrived, never = asyncio.Event(), asyncio.Event()

    async def slow(_: asyncio.StreamWriter) -> None:
        arrived.set()
        await never.wait()

    routes: Routes = {"/slow": slow, "/good": "<p>Good words</p>"}
    async with serve(routes) as site, reading(tmp_path, site.port, concurrency=1) as extractor:
        lost, waiting = _ask(extractor, site.url("/slow")), _ask(extractor, site.url("/good"))
        await arrived.wait()
        before = extractor.pool.state
        number, victim = FAULTS[fault]
        os.kill(getattr(before, victim), number)
        with pytest.raises(BrowserCrashed) as caught:
            await lost
        assert caught.value.retryable
        assert "Good words" in await waiting
        after = extractor.pool.state
        assert after.browser_pid != before.browser_pid
        assert (after.launches, after.healthy) == (2, True)
        pids = (before.browser_pid, before.driver_pid)
        await until(lambda: not any(map(alive, pids)))


async def test_a_frozen_browser_in_an_idle_service_is_replaced_before_anyone_asks() -> None:
    async with running_pool() as pool:
        before = pool.state
        os.kill(before.browser_pid, signal.SIGSTOP)
        await until(lambda: pool.state.browser_pid not in (0, before.browser_pid))
        assert pool.state.replaced == {"crashed": 1}
        await until(lambda: not alive(before.browser_pid))


async def test_callers_share_one_launch(tmp_path: Path) -> None:
    slow = fake_chromium(tmp_path, "sleep 1")
    async with running_pool(chromium_path=slow, concurrency=4) as pool:
        os.kill(pool.state.browser_pid, signal.SIGKILL)
        await asyncio.gather(*(use(pool) for _ in range(4)))
        assert (pool.state.launches, starts(tmp_path)) == (2, 2)


async def test_a_launch_goes_on_when_the_caller_who_began_it_leaves(tmp_path: Path) -> None:
    slow = fake_chromium(tmp_path, "sleep 1")
    async with running_pool(chromium_path=slow) as pool:
        os.kill(pool.state.browser_pid, signal.SIGKILL)
        first = asyncio.create_task(use(pool))
        await until(lambda: starts(tmp_path) == 2)
        first.cancel()
        await use(pool)
        assert starts(tmp_path) == 2


async def test_a_browser_that_never_comes_up_fails_all_who_wait_and_the_next_caller_tries_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    program = fake_chromium(tmp_path)
    async with running_pool(chromium_path=program, launch_timeout_s=10, concurrency=4) as pool:
        fake_chromium(tmp_path, f"echo $$ > {tmp_path}/pid; sleep 1000")
        os.kill(pool.state.browser_pid, signal.SIGKILL)
        outcomes = await asyncio.gather(*(_code(pool) for _ in range(4)))
        assert outcomes == ["browser_crashed"] * 4
        assert starts(tmp_path) == 2
        assert not pool.healthy
        assert pool.state.failure.startswith("browser_crashed: ")
        sleeper = int((tmp_path / "pid").read_text())
        await until(lambda: not alive(sleeper))
        await until(lambda: not list(temporary.glob("playwright*")))
        fake_chromium(tmp_path)
        await use(pool)
        assert pool.healthy
    assert not list(temporary.iterdir())


async def test_a_request_ends_at_its_deadline_though_no_browser_comes(tmp_path: Path) -> None:
    program = fake_chromium(tmp_path)
    async with reading(tmp_path, 9, chromium_path=program) as extractor:
        fake_chromium(tmp_path, "sleep 1000")
        os.kill(extractor.pool.state.browser_pid, signal.SIGKILL)
        wanted = PageRequest(url="http://127.0.0.1:9/", render="browser", deadline_s=2)
        async with asyncio.timeout(15):
            with pytest.raises(DeadlineExceeded):
                await extractor.extract(wanted)


async def test_a_storm_of_failing_launches_backs_off(tmp_path: Path) -> None:
    program = fake_chromium(tmp_path)
    async with running_pool(chromium_path=program) as pool:
        fake_chromium(tmp_path, "exit 1")
        os.kill(pool.state.browser_pid, signal.SIGKILL)
        end = in_s(4)
        while asyncio.get_running_loop().time() < end:
            assert await _code(pool, seconds=10) == "browser_crashed"
        # Pauses of 0.2, 0.4, 0.8, 1.6 … seconds leave room for few.
        assert starts(tmp_path) <= 7
        fake_chromium(tmp_path)
        await use(pool)
        assert pool.healthy


async def _code(pool: BrowserPool, seconds: float = 20) -> str:
    try:
        await use(pool, seconds)
    except ExtractorError as error:
        return error.code
    return ""


def _ask(extractor: Extractor, url: str) -> asyncio.Task[str]:
    async def text() -> str:
        page = await extractor.extract(PageRequest(url=url, format="text", render="browser"))
        return page.content["text"]

    return asyncio.create_task(text())
