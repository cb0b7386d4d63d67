"""Run the page script in every frame of a page and collect the documents."""

from __future__ import annotations

import asyncio
import html
import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from playwright.async_api import CDPSession, Error, Frame, Page

from extractor.browser.closed_roots import adopt_closed_roots
from extractor.browser.script import capture_options, capture_source
from extractor.browser.world import ContextLost, world_of
from extractor.snapshot import Notice

_MAX_DEPTH = 8


@dataclass(frozen=True, slots=True)
class Documents:
    """Capture strings: the page's own, and those of its frames by key."""

    main: str
    frames: dict[str, str]
    notices: tuple[Notice, ...]


@dataclass(frozen=True, slots=True)
class FrameLimits:
    """``max_nodes`` DOM nodes for each frame, at most ``max_frames`` of them."""

    max_nodes: int
    max_frames: int = 60
    scripts: bool = True


@dataclass(slots=True)
class _Reader:
    page: Page
    session: CDPSession
    limits: FrameLimits
    deadline: float
    refused: Mapping[str, str]
    nonce: str = field(default_factory=lambda: secrets.token_hex(4))
    documents: dict[str, str] = field(default_factory=dict)
    notices: list[Notice] = field(default_factory=list)
    sessions: dict[str, CDPSession] | None = None


async def read_frames(
    page: Page,
    session: CDPSession,
    limits: FrameLimits,
    deadline: float,
    *,
    refused: Mapping[str, str] | None = None,
) -> Documents:
    """The page's document and those of all frames in it, of any origin.

    ``deadline`` is in the event loop's time; ``refused`` names frames that the proxy answered for, with
    the reason. A frame that cannot be read becomes a notice and an error on
    its placeholder.

    Raises:
        ContextLost: the main document was replaced meanwhile.
        PageUnresponsive: the page script did not come back in time.
    """
    reader = _Reader(page, session, limits, deadline, refused or {})
    tree = await session.send("Page.getFrameTree")
    main_frame = tree["frameTree"]["frame"]
    main, elements = await _read(reader, session, main_frame["id"], f"{reader.nonce}.")
    urls = (_bare(str(main_frame.get("url", ""))),)
    main = await _children(reader, session, main, elements, urls, "")
    return Documents(main, reader.documents, tuple(reader.notices))


@dataclass(frozen=True, slots=True)
class _Element:
    """A frame element in its parent's world, and the frame that it shows."""

    key: str
    frame_id: str


async def _read(
    reader: _Reader, session: CDPSession, frame_id: str, prefix: str
) -> tuple[str, list[_Element]]:
    world = await world_of(session, frame_id, reader.deadline)
    options = capture_options(
        max_nodes=reader.limits.max_nodes, frame_key=prefix, scripts=reader.limits.scripts
    )
    text = str(await world.value(f"{capture_source()}.begin({options})") or "")
    if not text:
        await adopt_closed_roots(world)
        text = str(await world.value(f"__pagefold.capture({options})"))
    elements = []
    if "<pf-frame" in text:
        found = await world.objects("__pagefold.frames")
        described = await asyncio.gather(
            *(session.send("DOM.describeNode", {"objectId": item}) for item in found)
        )
        for index, node in enumerate(described):
            elements.append(_Element(f"{prefix}{index}", str(node["node"].get("frameId", ""))))
    return text, elements


async def _children(
    reader: _Reader,
    session: CDPSession,
    text: str,
    elements: list[_Element],
    urls: tuple[str, ...],
    label: str,
) -> str:
    """Read the frames in ``text``; the text comes back with their addresses on the placeholders."""
    for index, element in enumerate(elements):
        path = f"{label}{index}"
        mark = f'data-pf-key="{element.key}"'
        reason, url = await _child(reader, session, element, urls, path)
        note = f' data-pf-url="{html.escape(url)}"' if url else ""
        if reason:
            note += f' data-pf-error="{html.escape(reason)}"'
            reader.notices.append(Notice("frame", f"{url or 'frame ' + path}: {reason}"))
        text = text.replace(mark, mark + note, 1)
    return text


async def _child(
    reader: _Reader, parent: CDPSession, element: _Element, urls: tuple[str, ...], path: str
) -> tuple[str, str]:
    """Capture one frame into ``reader.documents``; (why it could not be read, its address)."""
    if not element.frame_id:
        return "not loaded", ""
    if element.frame_id in reader.refused:
        return f"refused: {reader.refused[element.frame_id]}", ""
    if len(urls) > _MAX_DEPTH:
        return "nested too deep", ""
    if len(reader.documents) >= reader.limits.max_frames:
        return "more frames than the cap", ""
    prefix = f"{reader.nonce}.{path}."
    url = ""
    try:
        session = parent
        try:
            text, elements = await _read(reader, session, element.frame_id, prefix)
        except Error as error:
            if "No frame" not in str(error):
                raise
            session = await _session_of(reader, element.frame_id)
            text, elements = await _read(reader, session, element.frame_id, prefix)
        url = str(_meta_of(text).get("url", ""))
        if url.startswith("http") and urls.count(_bare(url)):
            return "includes itself", url
        reader.documents[element.key] = ""
        reader.documents[element.key] = await _children(
            reader, session, text, elements, (*urls, _bare(url)), f"{path}."
        )
    except (Error, ContextLost, LookupError, ValueError):
        reader.documents.pop(element.key, None)
        return "could not be read", url
    if url.startswith("chrome-error:"):
        reader.documents.pop(element.key, None)
        return "could not be loaded", ""
    return "", url


async def _session_of(reader: _Reader, frame_id: str) -> CDPSession:
    """The session of a frame that lives in another process."""
    if reader.sessions is None:
        reader.sessions = {}
        for frame in reader.page.frames[1:]:
            session = await _own_session(reader.page, frame)
            if session is not None:
                tree = await session.send("Page.getFrameTree")
                reader.sessions[tree["frameTree"]["frame"]["id"]] = session
    return reader.sessions[frame_id]


async def _own_session(page: Page, frame: Frame) -> CDPSession | None:
    try:
        return await page.context.new_cdp_session(frame)
    except Error:
        return None  # it shares its parent's process and session


def _meta_of(text: str) -> dict[str, Any]:
    """The record in a capture string, without parsing the document."""
    head = text[: text.index("<head>")]
    start = head.index('data-pf-meta="') + len('data-pf-meta="')
    loaded = json.loads(html.unescape(head[start : head.index('"', start)]))
    return loaded if isinstance(loaded, dict) else {}


def _bare(url: str) -> str:
    return url.partition("#")[0]
