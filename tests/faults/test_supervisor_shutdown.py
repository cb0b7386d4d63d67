"""Told to stop under load, the service answers everyone, exits 0 in time and leaves no child."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

from extractor.browser import processes
from tests.browser.site import serve
from tests.faults.pools import gone, until
from tests.faults.serving import Service, service

#: What the service may take beyond its grace period to end its browsers and itself.
_ENDING_S = 15


def _asked(server: Service, url: str, count: int) -> list[asyncio.Task[tuple[int, str]]]:
    return [asyncio.create_task(asyncio.to_thread(server.read, url)) for _ in range(count)]


async def test_requests_that_run_when_it_is_told_to_stop_are_answered(tmp_path: Path) -> None:
    arrived = 0

    async def slow(writer: asyncio.StreamWriter) -> None:
        nonlocal arrived
        arrived += 1
        await asyncio.sleep(3)
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\nSlow")

    async with serve({"/slow": slow}) as site:
        with service(
            tmp_path, allow_hosts=f"127.0.0.1:{site.port}", concurrency=2, shutdown_grace_s=25
        ) as server:
            asked = _asked(server, site.url("/slow"), 10)
            await until(lambda: arrived == 2)
            family, started = processes.below(server.process.pid), time.monotonic()
            server.terminate()
            assert await asyncio.to_thread(server.process.wait, 60) == 0
            assert time.monotonic() - started < 25 + _ENDING_S
            answers = await asyncio.gather(*asked)
            assert await gone(family) == []
    # The two that ran have their page; those that waited have it too, or were told.
    assert answers.count((200, "")) >= 2, answers
    assert set(answers) <= {(200, ""), (503, "draining")}, answers


async def test_a_page_that_outlasts_the_grace_period_does_not_keep_the_service(
    tmp_path: Path,
) -> None:
    arrived, never = asyncio.Event(), asyncio.Event()

    async def endless(_: asyncio.StreamWriter) -> None:
        arrived.set()
        await never.wait()

    async with serve({"/endless": endless}) as site:
        with service(
            tmp_path, allow_hosts=f"127.0.0.1:{site.port}", concurrency=2, shutdown_grace_s=1
        ) as server:
            asked = _asked(server, site.url("/endless"), 4)
            await arrived.wait()
            family, started = processes.below(server.process.pid), time.monotonic()
            server.terminate()
            assert await asyncio.to_thread(server.process.wait, 60) == 0
            assert time.monotonic() - started < 1 + _ENDING_S
            answers = await asyncio.gather(*asked)
            assert await gone(family) == []
            assert not list(server.temporary.iterdir())
    assert set(answers) <= {(503, "draining"), (504, "deadline"), (504, "page_unresponsive")}, (
        answers
    )
