"""However the service ends, no process and no temporary file of its browsers stays."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path

import pytest

from extractor.browser import processes
from tests.browser.site import serve
from tests.faults.pools import alive, gone, running_pool, until
from tests.faults.serving import service


async def test_nothing_is_left_of_a_pool_that_was_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    before = {each.pid for each in processes.below(os.getpid())}
    async with running_pool():
        assert list(tmp_path.iterdir())
    # No zombies either: everything was waited for.
    await until(lambda: {each.pid for each in processes.below(os.getpid())} <= before)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("victim", ["driver_pid", "browser_pid"])
async def test_nothing_is_left_of_a_browser_that_was_lost(
    victim: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    async with running_pool() as pool:
        family = processes.below(pool.state.driver_pid)
        profiles = set(tmp_path.glob("playwright*"))
        assert profiles
        os.kill(getattr(pool.state, victim), signal.SIGKILL)
        await until(lambda: pool.state.launches == 2 and pool.state.browsers == 1)
        assert not [each.pid for each in family if alive(each.pid)]
        assert not profiles & set(tmp_path.glob("playwright*"))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
async def test_nothing_is_left_of_a_service_that_was_ended(number: int, tmp_path: Path) -> None:
    async with serve({"/": "<p>Good words</p>"}) as site:
        with service(tmp_path, allow_hosts=f"127.0.0.1:{site.port}") as server:
            assert await asyncio.to_thread(server.read, site.url("/")) == (200, "")
            family = processes.below(server.process.pid)
            assert len(family) > 3
            server.process.send_signal(number)
            code = await asyncio.to_thread(server.process.wait, 60)
            assert code == (0 if number == signal.SIGTERM else -signal.SIGKILL)
            assert await gone(family) == []
            await until(lambda: not list(server.temporary.iterdir()))
