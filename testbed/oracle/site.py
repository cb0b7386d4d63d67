"""The page set over HTTP on loopback, and a browser for the oracle."""

from __future__ import annotations

import functools
import http.server
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

from playwright.async_api import Browser, async_playwright

from extractor.browser.discover import find_chromium
from testbed.oracle.labels import FOLDER


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Nothing: the report is the output."""


@contextmanager
def served(folder: Path = FOLDER) -> Iterator[str]:
    """Serve the pages for the block; yields ``host:port``."""
    handler = functools.partial(_Quiet, directory=str(folder))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@asynccontextmanager
async def browser() -> AsyncIterator[Browser]:
    """A Chromium of the oracle's own: nothing of the product's set-up plays a part."""
    async with async_playwright() as playwright:
        chromium = await playwright.chromium.launch(
            executable_path=find_chromium(None).path, args=["--no-sandbox", "--hide-scrollbars"]
        )
        try:
            yield chromium
        finally:
            await chromium.close()
