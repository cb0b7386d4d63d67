"""A picture of a tab, and how it is made to fit."""

from __future__ import annotations

from extractor.browser.pictures import take_pictures
from extractor.errors import PageUnresponsive, TooLarge
from extractor.tabs.requests import TabShot
from extractor.tabs.tab import LiveTab

#: Of JPEGs, tried in this order.
_QUALITIES = (80, 50, 20)


async def draw(tab: LiveTab, wanted: TabShot, deadline: float) -> bytes:
    """What is in view or the whole page as a PNG; past ``max_bytes`` a JPEG.

    Raises:
        PageUnresponsive: it could not be drawn.
        TooLarge: no picture fits.
    """
    if wanted.full_page:
        drawn = await take_pictures(tab.page, ("screenshot",), tab.watch, deadline)
        if "screenshot" not in drawn.files:
            raise PageUnresponsive("the page could not be drawn in time")
        return drawn.files["screenshot"]
    picture = await tab.watch.guard(tab.page.screenshot(animations="disabled", caret="hide"))
    if wanted.max_bytes is None or len(picture) <= wanted.max_bytes:
        return picture
    for quality in _QUALITIES:
        drawing = tab.page.screenshot(
            type="jpeg", quality=quality, animations="disabled", caret="hide"
        )
        picture = await tab.watch.guard(drawing)
        if len(picture) <= wanted.max_bytes:
            return picture
    raise TooLarge(f"The picture has {len(picture)} bytes; max_bytes is {wanted.max_bytes}.")


def picture_type(picture: bytes) -> str:
    """The media type of a picture that ``draw`` made."""
    return "image/jpeg" if picture.startswith(b"\xff\xd8") else "image/png"
