"""A site with hostile pages, the real extractor over it, and what every such test asks at its end."""

from __future__ import annotations

import asyncio
import os
import zlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from extractor import Extractor, ExtractorError, ExtractorSettings, Page, PageRequest
from extractor.browser import processes
from tests.browser.site import Routes, Site, serve

WORDS = "<p>plain words of a page that anyone may read</p>"
GOOD = f"<main><h1>Harbour</h1>{WORDS}</main>"
#: Past its deadline a page may keep its caller no longer than this; its slot comes back on its own.
GRACE_S = 2.0


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads pages of a site with an extractor."""

    site: Site
    extractor: Extractor

    async def read(self, path: str, **wish: Any) -> Page:
        """The page, which came at the deadline or before it."""
        wish = {"format": "text", "deadline_s": 20, **wish}
        loop = asyncio.get_running_loop()
        started = loop.time()
        try:
            return await self.extractor.extract(PageRequest(url=self.site.url(path), **wish))
        finally:
            assert loop.time() - started < wish["deadline_s"] + GRACE_S

    async def outcome(self, path: str, **wish: Any) -> str:
        """How reading ended: ``complete``, why it is not, or the code of its error."""
        try:
            page = await self.read(path, **wish)
        except ExtractorError as error:
            return error.code
        assert "plain words" in page.content["text"]
        assert page.complete == (page.incomplete_reason is None)
        return page.incomplete_reason or "complete"

    async def healthy(self) -> None:
        """The service reads an ordinary page, wholly and in a browser."""
        page = await self.read("/good")
        assert page.complete
        assert page.content["text"].startswith("Harbour\nplain words")
        assert page.snapshot.meta.render == "browser"

    async def beside(self, path: str, **wish: Any) -> str:
        """The outcome of a page while ordinary ones are read beside it, and after it."""
        hostile = asyncio.ensure_future(self.outcome(path, **wish))
        try:
            await asyncio.sleep(0.5)
            await self.healthy()
            return await hostile
        finally:
            hostile.cancel()
            await asyncio.gather(hostile, return_exceptions=True)
            await self.healthy()


@asynccontextmanager
async def reading(routes: Routes, folder: Path, **limits: Any) -> AsyncIterator[Reader]:
    """A reader of ``routes`` and of ``/good``, under settings of its own."""
    async with serve({"/good": GOOD, **routes}) as site:
        settings = ExtractorSettings(
            allow_hosts=f"127.0.0.1:{site.port}", data_dir=folder, concurrency=2, **limits
        )
        async with Extractor(settings) as extractor:
            yield Reader(site, extractor)


def own_bytes() -> int:
    """Memory of this process that is its own."""
    return processes.private_bytes(os.getpid())


def browser_bytes() -> int:
    """Private memory of all renderers that this process has below it."""
    return sum(
        processes.private_bytes(each.pid)
        for each in processes.below(os.getpid())
        if "--type=renderer" in " ".join(each.arguments)
    )


def gzipped(body: bytes, *, times: int = 1, head: bytes = b"") -> bytes:
    """``head`` and ``times`` bodies in gzip, without ever holding them all."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    parts = [packer.compress(head), *(packer.compress(body) for _ in range(times))]
    return b"".join([*parts, packer.flush()])
