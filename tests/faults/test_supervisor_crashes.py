"""A page that brings its renderer down is loaded once more, in a fresh context, and then given up."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path

import pytest

from api.errors import CATALOGUE
from extractor import Extractor, Page, PageRequest
from extractor.errors import PageCrashed
from tests.browser.site import Answer, Routes, serve
from tests.faults.pools import alive, kinds, reading

pytestmark = pytest.mark.hostile

#: A tree so deep that laying it out overflows the renderer's stack.
DEEP = """<p>Before</p><script>
let node = document.body
for (let i = 0; i < 10000; i++) node = node.appendChild(document.createElement('div'))
node.textContent = 'deep'
</script>"""


class Crashing:
    """A page whose renderer is killed on its first ``times`` loads; each load has a cookie of its own."""

    def __init__(self, times: int) -> None:
        self.times, self.loads = times, 0
        self.cookies: list[str] = []
        self.extractor: Extractor | None = None

    async def hit(self, writer: asyncio.StreamWriter) -> None:
        """The script of the page asks for this: the moment in which its renderer dies."""
        self.loads += 1
        assert self.extractor is not None
        if self.loads <= self.times:
            for pid in kinds(self.extractor.pool.state.browser_pid, "renderer"):
                os.kill(pid, signal.SIGKILL)
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")

    def routes(self) -> Routes:
        page = "<p>Good words</p><script src=/hit></script>"
        return {"/page": Answer(page, headers={"Set-Cookie": "seen=1"}), "/hit": self.hit}


async def _read(extractor: Extractor, url: str, seconds: float = 30) -> Page:
    wanted = PageRequest(url=url, format="text", render="browser", deadline_s=seconds)
    return await extractor.extract(wanted)


async def test_a_page_that_crashes_once_is_loaded_again_in_a_fresh_context_and_says_so(
    tmp_path: Path,
) -> None:
    crashing = Crashing(times=1)
    async with serve(crashing.routes()) as site, reading(tmp_path, site.port) as extractor:
        crashing.extractor = extractor
        browser = extractor.pool.state.browser_pid
        page = await _read(extractor, site.url("/page"))
        assert page.content["text"].strip() == "Good words"
        retried = [notice for notice in page.warnings if notice.code == "retried"]
        assert len(retried) == 1
        assert "second load" in retried[0].text
        loads = [headers for path, headers in site.seen if path == "/page"]
        assert len(loads) == 2
        # Fresh: what the first load left in its context is not there.
        assert not any("cookie" in headers for headers in loads)
        # The browser and everything else in it live on.
        assert extractor.pool.state.browser_pid == browser


async def test_a_page_that_crashes_again_is_given_up_as_a_retryable_error(tmp_path: Path) -> None:
    crashing = Crashing(times=9)
    async with serve(crashing.routes()) as site, reading(tmp_path, site.port) as extractor:
        crashing.extractor = extractor
        with pytest.raises(PageCrashed) as caught:
            await _read(extractor, site.url("/page"))
        assert crashing.loads == 2
        error = caught.value
        assert (CATALOGUE[error.code][0], error.code, error.retryable) == (
            502,
            "page_crashed",
            True,
        )
        crashing.times = 0
        assert "Good words" in (await _read(extractor, site.url("/page"))).content["text"]


async def test_a_page_that_overflows_its_renderer_leaves_the_page_beside_it_alone(
    tmp_path: Path,
) -> None:
    answer = asyncio.Event()

    async def slow(writer: asyncio.StreamWriter) -> None:
        await answer.wait()
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n")
        writer.write(b"<p>Good words</p>")

    routes: Routes = {"/deep": DEEP, "/slow": slow}
    async with serve(routes) as site, reading(tmp_path, site.port, concurrency=2) as extractor:
        browser = extractor.pool.state.browser_pid
        beside = asyncio.create_task(_read(extractor, site.url("/slow")))
        try:
            page = await _read(extractor, site.url("/deep"))
            assert "Before" in page.content["text"]
        except PageCrashed:
            pass
        answer.set()
        assert "Good words" in (await beside).content["text"]
        assert extractor.pool.state.browser_pid == browser
        assert alive(browser)
