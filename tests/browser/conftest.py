from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from typing import Any

import pytest_asyncio
from playwright.async_api import Browser, BrowserContext, async_playwright

from extractor.browser.capture import capture, context_options
from extractor.browser.discover import find_chromium
from extractor.egress.record import EgressRecord
from extractor.request import PageRequest
from extractor.settings import ExtractorSettings
from extractor.snapshot import Snapshot


@dataclass(slots=True)
class NoProxy:
    """Stands where the proxy would: these pages are on loopback and nothing is refused."""

    seen: EgressRecord = field(default_factory=EgressRecord)

    def record(self, key: str) -> EgressRecord:
        return self.seen

    async def cut(self, key: str) -> None:
        return


@dataclass(frozen=True, slots=True)
class OwnContext:
    context: BrowserContext
    crash_cause: Callable[[], str] = str


@dataclass(frozen=True, slots=True)
class Loader:
    browser: Browser

    async def load(
        self, url: str, *, deadline_s: float = 20, limits: dict[str, Any] | None = None, **wish: Any
    ) -> Snapshot:
        settings = ExtractorSettings(**(limits or {}))
        request = PageRequest(url=url, **wish)
        context = await self.browser.new_context(
            service_workers="block", accept_downloads=False, **context_options(request)
        )
        deadline = asyncio.get_running_loop().time() + deadline_s
        try:
            return await capture(
                OwnContext(context),
                request,
                settings=settings,
                deadline=deadline,
                proxy=NoProxy(),
                key="test",
            )
        finally:
            await context.close()


@pytest_asyncio.fixture
async def loader() -> AsyncIterator[Loader]:
    chromium = find_chromium(None)

    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=chromium.path,
            args=[
                "--no-sandbox",
                "--js-flags=--max-old-space-size=512",
                "--block-new-web-contents",
            ],
        )
        try:
            yield Loader(browser)
        finally:
            await browser.close()
