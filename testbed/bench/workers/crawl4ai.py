"""crawl4ai as its documentation starts it: ``AsyncWebCrawler().arun(url)``, without its cache.

Runs under the Python that has crawl4ai. It finds its browser through Playwright alone, so the launch is
told which one to take.
"""

from __future__ import annotations

import asyncio
import importlib
import os
from typing import Any

from playwright.async_api import Browser, BrowserType

from testbed.bench.workers.loop import NO_NAMES, serve

_launch = BrowserType.launch


async def _with_ours(kind: BrowserType, **options: Any) -> Browser:
    options["executable_path"] = os.environ["BENCH_CHROMIUM"]
    options["args"] = [*options.get("args", ()), NO_NAMES]
    options.pop("channel", None)
    return await _launch(kind, **options)


async def main() -> None:
    """Run until the input ends."""
    # The library's own object: which browser it starts is all that is changed.
    BrowserType.launch = _with_ours  # type: ignore[method-assign, assignment]
    crawl4ai: Any = importlib.import_module("crawl4ai")
    config = crawl4ai.CrawlerRunConfig(cache_mode=crawl4ai.CacheMode.BYPASS, verbose=False)
    async with crawl4ai.AsyncWebCrawler(config=crawl4ai.BrowserConfig(verbose=False)) as crawler:

        async def fetch(url: str, mode: str) -> str:
            result = await crawler.arun(url, config=config)
            if not result.success:
                raise RuntimeError(result.error_message)
            return str(result.markdown)

        await serve(fetch)


if __name__ == "__main__":
    asyncio.run(main())
