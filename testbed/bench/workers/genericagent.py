"""What GenericAgent's ``web_scan`` does with a page once it has loaded: its script, then its pruning.

``BENCH_GENERICAGENT`` is the folder with its ``simphtml.py``. A page at a time: it has no other way.
"""

from __future__ import annotations

import asyncio
import importlib
import os
import sys
from typing import Any

from playwright.async_api import Page, async_playwright

from testbed.bench.workers.loop import NO_NAMES, serve


class Driver:
    """As much of its driver as it needs, over a page."""

    def __init__(self, page: Page, loop: asyncio.AbstractEventLoop) -> None:
        self._page, self._loop = page, loop

    def execute_js(self, script: str) -> dict[str, Any]:
        """Run a function body in the page."""
        call = self._page.evaluate(f"() => {{ {script} }}")
        return {"data": asyncio.run_coroutine_threadsafe(_result(call), self._loop).result()}


async def _result(call: Any) -> Any:
    return await call


async def main() -> None:
    """Run until the input ends."""
    sys.path.insert(0, os.environ["BENCH_GENERICAGENT"])
    simphtml: Any = importlib.import_module("simphtml")
    loop = asyncio.get_running_loop()
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=os.environ["BENCH_CHROMIUM"], args=[NO_NAMES]
        )

        async def fetch(url: str, mode: str) -> str:
            context = await browser.new_context()
            try:
                page = await context.new_page()
                await page.goto(url, wait_until="load")
                driver = Driver(page, loop)
                return str(await asyncio.to_thread(simphtml.get_html, driver, True, 35_000))
            finally:
                await context.close()

        await serve(fetch)
        await browser.close()


if __name__ == "__main__":
    asyncio.run(main())
