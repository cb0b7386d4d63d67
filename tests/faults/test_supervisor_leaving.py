"""A caller who leaves gives its slot back at once, whatever its page is doing."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from extractor import Extractor, PageRequest
from tests.browser.site import Routes, serve
from tests.faults.pools import in_s, reading, running_pool, until, use

pytestmark = pytest.mark.hostile

LOOP = "<p>Words</p><img src=/here><script>setTimeout(() => { while (true); }, 50)</script>"
ALERTS = "<p>Words</p><img src=/here><script>while (true) alert('x')</script>"
#: The promise: a slot is free again so many seconds after its caller has left.
FREE_AGAIN_S = 2


@pytest.mark.parametrize("path", ["/loop", "/alerts", "/slow"])
async def test_a_caller_who_leaves_frees_its_slot(path: str, tmp_path: Path) -> None:
    arrived, never = asyncio.Event(), asyncio.Event()

    async def here(_: asyncio.StreamWriter) -> None:
        arrived.set()
        await never.wait()

    routes: Routes = {
        "/loop": LOOP,
        "/alerts": ALERTS,
        "/slow": here,
        "/here": here,
        "/good": "Good",
    }
    async with (
        serve(routes) as site,
        reading(tmp_path, site.port, concurrency=1, block_media=False) as extractor,
    ):
        task = asyncio.create_task(_read(extractor, site.url(path)))
        await arrived.wait()
        await asyncio.sleep(0.5)
        task.cancel()
        await until(lambda: extractor.pool.state.busy == 0, FREE_AGAIN_S)
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await _read(extractor, site.url("/good")) == "Good"
        # The browser was not at fault.
        assert extractor.pool.state.launches == 1


async def test_a_caller_who_leaves_while_its_context_is_made_leaves_none_behind() -> None:
    async with running_pool(concurrency=4) as pool:
        async with pool.lease("k", {}, deadline=in_s(20)) as lease:
            browser = lease.browser
        for turns in range(12):
            task = asyncio.create_task(use(pool))
            for _ in range(turns):
                await asyncio.sleep(0.001)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        await until(lambda: not pool._closing_contexts)
        assert browser.contexts == []
        assert pool.state.launches == 1


async def test_one_who_leaves_the_queue_leaves_no_trace(tmp_path: Path) -> None:
    arrived, answer = asyncio.Event(), asyncio.Event()

    async def slow(writer: asyncio.StreamWriter) -> None:
        arrived.set()
        await answer.wait()
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\nSlow")

    routes: Routes = {"/slow": slow, "/good": "Good"}
    async with serve(routes) as site, reading(tmp_path, site.port, concurrency=1) as extractor:
        first = asyncio.create_task(_read(extractor, site.url("/slow")))
        await arrived.wait()
        leaving = asyncio.create_task(_read(extractor, site.url("/good")))
        await until(lambda: extractor.pool.state.waiting == 1)
        leaving.cancel()
        await until(lambda: extractor.pool.state.waiting == 0)
        answer.set()
        assert await first == "Slow"
        assert site.seen
        assert not [path for path, _ in site.seen if path == "/good"]


async def _read(extractor: Extractor, url: str) -> str:
    wanted = PageRequest(url=url, format="text", render="browser")
    return (await extractor.extract(wanted)).content["text"].strip()
