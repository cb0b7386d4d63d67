"""Told to stop under load, the service answers everyone, exits 0 in time and leaves no child."""

from __future__ import annotations

import asyncio
import signal
import time
from pathlib import Path

import httpx2

from tests.browser.site import serve
from tests.faults.pools import until
from tests.faults.server import Server, gone, serving

#: What the service may take beyond its grace period to end its browsers and itself.
_ENDING_S = 15


async def _ask(server: Server, url: str) -> tuple[int, str]:
    """Status and code of the answer; 0 when the connection ended without one."""
    try:
        answer = await asyncio.to_thread(server.read, url)
    except httpx2.HTTPError as error:
        return 0, repr(error)
    return answer.status_code, str(answer.json().get("code", ""))


async def test_requests_that_run_when_it_is_told_to_stop_are_answered(tmp_path: Path) -> None:
    arrived = 0

    async def slow(writer: asyncio.StreamWriter) -> None:
        nonlocal arrived
        arrived += 1
        await asyncio.sleep(3)
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\nSlow")

    async with serve({"/slow": slow}) as site:
        with serving(tmp_path, site.port, concurrency=2, shutdown_grace_s=25) as server:
            asked = [asyncio.create_task(_ask(server, site.url("/slow"))) for _ in range(10)]
            await until(lambda: arrived == 2)
            family, started = server.family(), time.monotonic()
            assert await asyncio.to_thread(server.end, signal.SIGTERM) == 0
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
        with serving(tmp_path, site.port, concurrency=2, shutdown_grace_s=1) as server:
            asked = [asyncio.create_task(_ask(server, site.url("/endless"))) for _ in range(4)]
            await arrived.wait()
            family, started = server.family(), time.monotonic()
            assert await asyncio.to_thread(server.end, signal.SIGTERM) == 0
            assert time.monotonic() - started < 1 + _ENDING_S
            answers = await asyncio.gather(*asked)
            assert await gone(family) == []
            assert not list(server.temporary.iterdir())
    assert set(answers) <= {(503, "draining"), (504, "deadline"), (504, "page_unresponsive")}, (
        answers
    )
