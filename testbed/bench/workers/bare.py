"""The least that a browser could do: a fresh context, ``goto`` until ``load``, ``content()``.

``BENCH_CHROMIUM`` names the browser. In mode ``built`` it also waits until the page says that its text
is complete (``data-done`` on the root element), which nobody but the page can know.
"""

from __future__ import annotations

import asyncio
import os

from playwright.async_api import async_playwright

from testbed.bench.workers.loop import NO_NAMES, serve

_BUILT = "document.documentElement.dataset.done === '1'"


async def main() -> None:
    """Run until the input ends."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=os.environ["BENCH_CHROMIUM"], args=[NO_NAMES]
        )

        async def fetch(url: str, mode: str) -> str:
            context = await browser.new_context()
            try:
                page = await context.new_page()
                await page.goto(url, wait_until="load")
                if mode == "built":
                    await page.wait_for_function(_BUILT)
                return await page.content()
            finally:
                await context.close()

        await serve(fetch)
        await browser.close()


if __name__ == "__main__":
    asyncio.run(main())
