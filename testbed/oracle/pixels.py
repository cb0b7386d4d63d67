"""The pixel oracle: a text is visible when taking its ink away changes what is painted.

It knows no reason why text may be hidden, and shares no code or rule with the product.

The method, for one text node:

1. Everything that a person can scroll is scrolled, from the inside out, so that the text stands in the
   middle of its view (then at the start, then at the end, since a fixed bar may lie over the middle).
2. A picture of the whole viewport is taken, with animations at their end and no caret.
3. Each character of that node that is no white space becomes a no-break space, and a second picture is
   taken. The pages are set in a monospaced font, so a blank is as wide as the letter it stands for:
   nothing is laid out anew. That is not taken on trust: the boxes of the node and of every element are
   compared before and after, and a page where one moved is an error. So every pixel that differs owes its
   change to the ink of this text (or its shadow, its stroke, a background painted through it). A sliver
   of a line box that shows no ink does not count, as it would with full blocks.
4. The text is put back and a third picture must be the same as the first, or the page moved by itself.
5. The text is visible when some pixel's two colours have a WCAG contrast ratio of 1.2 or more.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

from playwright.async_api import Browser, CDPSession, Frame, JSHandle, Page

from testbed.oracle.labels import Target

THRESHOLD = 1.2
VIEW_HEIGHT = 900
_PLACES: tuple[Literal["middle", "start", "end"], ...] = ("middle", "start", "end")
_ATTEMPTS = 3


class OracleError(Exception):
    """The page does not let the oracle answer: text not found, layout moved, pictures unstable."""


@dataclass(frozen=True, slots=True)
class Seen:
    """The oracle's answer: the largest contrast ratio over pixels, 1 where none changed."""

    ratio: float

    @property
    def visible(self) -> bool:
        """Whether a person can see the text."""
        return self.ratio >= THRESHOLD


@dataclass(frozen=True, slots=True)
class _Looking:
    """A page under the oracle, the page beside it that compares pictures, and where to keep these."""

    page: Page
    session: CDPSession
    scale: Page
    pictures: Path | None


@dataclass(frozen=True, slots=True)
class _Text:
    """A text node, the frame it stands in, and the words that name it."""

    frame: Frame
    node: JSHandle
    words: str


@cache
def _source(name: str) -> str:
    return files("testbed.oracle").joinpath(name).read_text("utf-8")


async def look(
    browser: Browser, url: str, targets: Sequence[Target], *, pictures: Path | None = None
) -> dict[str, Seen]:
    """Judge the targets of one page by pixels; by their words.

    A text that is not in the page's tree at all (a comment, a template) is not visible. With ``pictures``
    a folder, the deciding pictures are kept there.

    Raises:
        OracleError: see there.
    """
    size = {"width": targets[0].width, "height": VIEW_HEIGHT}
    context = await browser.new_context(viewport=size, device_scale_factor=1)  # type: ignore[arg-type]
    try:
        scale = await context.new_page()
        await context.add_init_script(_source("probe.js"))
        page = await context.new_page()
        await page.goto(url, wait_until="load")
        session = await context.new_cdp_session(page)
        looking = _Looking(page, session, scale, pictures)
        return {target.words: await _judge(looking, target.words) for target in targets}
    finally:
        await context.close()


async def _judge(at: _Looking, words: str) -> Seen:
    text = await _find(at.page, words)
    if text is None:
        return Seen(1.0)
    best, stood = 1.0, set()
    for place in _PLACES:
        offsets = await _bring(text, place)
        if offsets in stood:
            continue
        stood.add(offsets)
        best = max(best, await _contrast(at, text))
        if best >= THRESHOLD:
            break
    return Seen(round(best, 3))


async def _find(page: Page, words: str) -> _Text | None:
    for frame in page.frames:
        handle = await frame.evaluate_handle("(words) => __oracle.find(words)", words)
        if handle.as_element() is not None:
            return _Text(frame, handle, words)
    return None


async def _bring(text: _Text, place: str) -> str:
    """Scroll the text's frame, then the frames around it; where all of them stand then."""
    frame, node = text.frame, text.node
    offsets = [await frame.evaluate("([n, p]) => __oracle.bring(n, p, null)", [node, place])]
    box = await frame.evaluate("([n]) => __oracle.boxOf(n, null).toJSON()", [node])
    while frame.parent_frame is not None:
        element = await frame.frame_element()
        frame = frame.parent_frame
        given = [element, place, box]
        offsets.append(await frame.evaluate("([n, p, b]) => __oracle.bring(n, p, b)", given))
        box = await frame.evaluate("([n, , b]) => __oracle.boxOf(n, b).toJSON()", given)
    for shown in text.frame.page.frames:
        await shown.evaluate("() => __oracle.still()")
    await frame.evaluate("() => __oracle.painted()")
    return "|".join(offsets)


async def _contrast(at: _Looking, text: _Text) -> float:
    for _ in range(_ATTEMPTS):
        before, laid_out = await _shoot(at), await _layout(at, text)
        data = await text.frame.evaluate("([n]) => __oracle.blank(n)", [text.node])
        after, moved = await _shoot(at), await _layout(at, text)
        await text.frame.evaluate("([n, d]) => { n.data = d; }", [text.node, data])
        if laid_out != moved:
            raise OracleError(f"{text.words!r}: a blank is not as wide as its letter here")
        if before == after:
            return 1.0
        if await _shoot(at) == before:
            return await _compare(at, text.words, (before, after))
    raise OracleError(f"{text.words!r}: the page does not hold still")


async def _shoot(at: _Looking) -> str:
    """What the window shows now: a PNG, base64.

    Playwright's own picture is of a rectangle in page coordinates, which it gets wrong on pages that
    scroll from the right.
    """
    answer = await at.session.send("Page.captureScreenshot", {"optimizeForSpeed": True})
    return str(answer["data"])


async def _layout(at: _Looking, text: _Text) -> list[str]:
    return [
        await frame.evaluate(
            "([n]) => __oracle.layout(n)", [text.node if frame is text.frame else None]
        )
        for frame in at.page.frames
    ]


async def _compare(at: _Looking, words: str, pair: tuple[str, str]) -> float:
    found: dict[str, Any] = await at.scale.evaluate(_source("compare.js"), list(pair))
    if at.pictures is not None:
        for name, picture in zip(("before", "after"), pair, strict=True):
            path = at.pictures / f"{words.replace(' ', '-')}.{name}.png"
            path.write_bytes(base64.b64decode(picture))
    return float(found["ratio"])
