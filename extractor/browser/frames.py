"""Run the page script in every frame of a page and collect the documents."""

from __future__ import annotations

import asyncio
import contextlib
import html
from collections.abc import Mapping
from dataclasses import dataclass

from playwright.async_api import CDPSession, Error, Page

from extractor.browser.frame_reader import (
    Element,
    FrameLimits,
    Place,
    Reader,
    read_document,
    read_frame,
    record_in,
)
from extractor.browser.world import ContextLost, World
from extractor.errors import PageUnresponsive, TooLarge
from extractor.snapshot import Notice

__all__ = ["Documents", "FrameLimits", "read_frames"]

_MAX_DEPTH = 8
#: Of the time that is left once the page's own document is read, what its frames may take.
_FRAMES_SHARE = 0.7


@dataclass(frozen=True, slots=True)
class Documents:
    """Capture strings: the page's own, and those of its frames by key.

    ``cut`` names the first limit that a document went past, or is empty.
    """

    main: str
    frames: dict[str, str]
    notices: tuple[Notice, ...]
    cut: str = ""


async def read_frames(
    page: Page,
    session: CDPSession,
    limits: FrameLimits,
    deadline: float,
    *,
    refused: Mapping[str, str] | None = None,
    primed: World | None = None,
) -> Documents:
    """The page's document and those of all frames in it, of any origin.

    ``deadline`` is in the event loop's time; the page's own document must be there at half time. ``refused``
    names frames that the proxy answered for, with
    the reason; ``primed`` is the world of the main document where the capture is installed already. A
    frame that cannot be read becomes a notice and an error on its placeholder.

    Raises:
        ContextLost: the main document was replaced meanwhile.
        PageUnresponsive: the page script did not come back in time.
    """
    now = asyncio.get_running_loop().time
    reader = Reader(page, session, limits, deadline, refused or {})
    main_frame = primed.frame_id if primed else await _main_frame(session)
    halfway = (now() + deadline) / 2
    place = Place(main_frame, f"{reader.nonce}.", limits.capture.max_nodes, halfway)
    try:
        async with asyncio.timeout_at(halfway):
            main, elements = await read_document(reader, session, place, primed)
    except TimeoutError as error:
        raise PageUnresponsive("the page did not let itself be read in time") from error
    reader.deadline = now() + _FRAMES_SHARE * (deadline - now())
    if not elements:
        return Documents(main, {}, (), reader.cut)
    urls = (_bare(str(record_in(main).get("url", ""))),)
    main = await _children(reader, session, main, elements, urls, place.prefix)
    for session in (reader.sessions or {}).values():
        with contextlib.suppress(Error):
            await session.detach()  # a page that stays open would gather them
    return Documents(main, reader.documents, tuple(reader.notices), reader.cut)


async def _main_frame(session: CDPSession) -> str:
    tree = await session.send("Page.getFrameTree")
    return str(tree["frameTree"]["frame"]["id"])


async def _children(
    reader: Reader,
    session: CDPSession,
    text: str,
    elements: list[Element],
    urls: tuple[str, ...],
    prefix: str,
) -> str:
    """Read the frames in ``text``; the text comes back with their addresses on the placeholders."""
    for index, element in enumerate(elements):
        mark = f'data-pf-key="{element.key}"'
        share = reader.share(len(elements) - index)
        end = min(reader.deadline, asyncio.get_running_loop().time() + reader.limits.frame_s)
        place = Place(element.frame_id, f"{prefix}{index}.", share, end)
        reason, url = await _child(reader, session, element, urls, place)
        note = f' data-pf-url="{html.escape(url)}"' if url else ""
        if reason:
            note += f' data-pf-error="{html.escape(reason)}"'
            label = url or f"frame {element.key.partition('.')[2]}"
            reader.notices.append(Notice("frame", f"{label}: {reason}"))
        text = text.replace(mark, mark + note, 1)
    return text


async def _child(
    reader: Reader, parent: CDPSession, element: Element, urls: tuple[str, ...], place: Place
) -> tuple[str, str]:
    """Capture one frame into ``reader.documents``; (why it could not be read, its address)."""
    reason = _unread(reader, element, urls)
    if reason:
        return reason, ""
    url = ""
    try:
        async with asyncio.timeout_at(place.deadline):
            session, text, elements = await read_frame(reader, parent, place)
        url = str(record_in(text).get("url", ""))
        # A frame that a script writes has its parent's address, and is no inclusion of it.
        own = element.source and not element.source.lower().startswith(("about:", "javascript:"))
        if own and url.startswith("http") and urls.count(_bare(url)):
            return "includes itself", url
        if url == "about:blank" and element.lazy and own:
            return "not loaded: it loads when it comes into view", ""
        reader.documents[element.key] = ""
        reader.documents[element.key] = await _children(
            reader, session, text, elements, (*urls, _bare(url)), place.prefix
        )
    except TooLarge:
        reader.documents.pop(element.key, None)
        reader.cut = reader.cut or "max_document_bytes"
        return "too large", url
    except (Error, ContextLost, LookupError, ValueError, TimeoutError, PageUnresponsive):
        reader.documents.pop(element.key, None)
        return "could not be read", url
    if url.startswith("chrome-error:"):
        reader.documents.pop(element.key, None)
        return "could not be loaded", ""
    return "", url


def _unread(reader: Reader, element: Element, urls: tuple[str, ...]) -> str:
    """Why a frame is not even looked at, or empty."""
    if not element.frame_id:
        return "not loaded"
    if element.frame_id in reader.refused:
        return f"refused: {reader.refused[element.frame_id]}"
    if len(urls) > _MAX_DEPTH:
        return "nested too deep"
    if len(reader.documents) >= reader.limits.max_frames:
        reader.cut = reader.cut or "max_frames"
        return "more frames than the cap"
    if asyncio.get_running_loop().time() >= reader.deadline:
        reader.cut = reader.cut or "deadline"
        return "no time was left"
    return ""


def _bare(url: str) -> str:
    return url.partition("#")[0]
