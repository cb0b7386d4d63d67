"""A page as a picture or a PDF: only while it is open, and only when asked for."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

from playwright.async_api import Error, FloatRect, Page

from extractor.browser.watch import Watch
from extractor.snapshot import Notice

#: Chromium draws no taller picture than this many device pixels.
_MOST_PIXELS = 16_000
_MOST_S = 15.0


@dataclass(slots=True)
class Pictures:
    """``files`` by format: ``screenshot`` is a PNG. What could not be made is a notice."""

    files: dict[str, bytes] = field(default_factory=dict)
    notices: list[Notice] = field(default_factory=list)


async def take_pictures(
    page: Page, formats: Sequence[str], watch: Watch, deadline: float
) -> Pictures:
    """Draw the whole page in each of ``formats``; ``deadline`` is in the event loop's time."""
    pictures = Pictures()
    for name in formats:
        left = min(_MOST_S, deadline - asyncio.get_running_loop().time() - 0.5)
        try:
            if left <= 0:
                raise TimeoutError
            async with asyncio.timeout(left):
                drawn = await watch.guard(_drawn(page, name, pictures))
        except (Error, TimeoutError):
            pictures.notices.append(Notice(name, f"the {name} could not be made in time"))
        else:
            pictures.files[name] = drawn
    return pictures


async def _drawn(page: Page, name: str, pictures: Pictures) -> bytes:
    if name == "pdf":
        return await page.pdf(print_background=True)
    width, height, scale = await page.evaluate(
        "() => [innerWidth, document.documentElement.scrollHeight, devicePixelRatio]"
    )
    most = int(_MOST_PIXELS / scale)
    if height <= most:
        return await page.screenshot(full_page=True, animations="disabled", caret="hide")
    pictures.notices.append(Notice(name, f"only the first {most} of {height} pixels were drawn"))
    clip: FloatRect = {"x": 0, "y": 0, "width": width, "height": most}
    return await page.screenshot(full_page=True, clip=clip, animations="disabled", caret="hide")
