"""Read one document, of the page or of a frame in its process or in another."""

from __future__ import annotations

import asyncio
import html
import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from playwright.async_api import CDPSession, Error, Frame, Page

from extractor.browser.closed_roots import adopt_closed_roots
from extractor.browser.script import CaptureLimits, capture_options, capture_source
from extractor.browser.world import World, world_of
from extractor.snapshot import Notice

#: Every frame may have so many nodes, however many there are.
_FEWEST_NODES = 1_000


@dataclass(frozen=True, slots=True)
class FrameLimits:
    """``capture.max_nodes`` DOM nodes for the page and its frames together, at most ``max_frames`` of these.

    ``frame_s`` is the longest time for one frame, in seconds.
    """

    capture: CaptureLimits
    max_frames: int = 100
    frame_s: float = 5.0
    scripts: bool = True


@dataclass(slots=True)
class Reader:
    page: Page
    session: CDPSession
    limits: FrameLimits
    deadline: float
    refused: Mapping[str, str]
    nonce: str = field(default_factory=lambda: secrets.token_hex(4))
    documents: dict[str, str] = field(default_factory=dict)
    notices: list[Notice] = field(default_factory=list)
    sessions: dict[str, CDPSession] | None = None
    nodes: int = 0
    cut: str = ""

    def share(self, frames: int) -> int:
        """Nodes for the next of so many frames: one that is huge leaves the others their part."""
        left = self.limits.capture.max_nodes - self.nodes
        return max(_FEWEST_NODES, left // max(1, frames))


@dataclass(frozen=True, slots=True)
class Element:
    """A frame element in its parent's world, and the frame that it shows.

    ``source`` is its own ``src``; ``lazy`` says that it loads only when it comes into view.
    """

    key: str
    frame_id: str
    source: str
    lazy: bool


@dataclass(frozen=True, slots=True)
class Place:
    """A document to read: the frame, the prefix of its own frames' keys, its nodes and its deadline."""

    frame_id: str
    prefix: str
    max_nodes: int
    deadline: float


async def read_document(
    reader: Reader, session: CDPSession, place: Place, primed: World | None = None
) -> tuple[str, list[Element]]:
    """The annotated document at a place, and its frame elements.

    ``primed`` is its world where the capture is installed already.
    """
    world = primed or await world_of(session, place.frame_id, place.deadline)
    installed = "__pagefold" if primed else capture_source()
    limits = replace(reader.limits.capture, max_nodes=place.max_nodes)
    options = capture_options(limits, frame_key=place.prefix, scripts=reader.limits.scripts)
    text = str(await world.value(f"{installed}.begin({options})") or "")
    if not text:
        await adopt_closed_roots(world)
        text = str(await world.value(f"__pagefold.capture({options})"))
    record = record_in(text)
    reader.nodes += int(record.get("nodes", 0))
    reader.cut = reader.cut or str(record.get("cut", ""))
    elements: list[Element] = []
    if "<pf-frame" in text:
        found = await world.objects("__pagefold.frames")
        described = await asyncio.gather(
            *(session.send("DOM.describeNode", {"objectId": item}) for item in found)
        )
        elements = [
            _element(f"{place.prefix}{index}", answer["node"])
            for index, answer in enumerate(described)
        ]
    return text, elements


def _element(key: str, node: dict[str, Any]) -> Element:
    flat = [str(item) for item in node.get("attributes", ())]
    attributes = dict(zip(flat[::2], flat[1::2], strict=True))
    source = "" if "srcdoc" in attributes else attributes.get("src", "").strip()
    lazy = attributes.get("loading", "").lower() == "lazy"
    return Element(key, str(node.get("frameId", "")), source, lazy)


async def read_frame(
    reader: Reader, parent: CDPSession, place: Place
) -> tuple[CDPSession, str, list[Element]]:
    """Read a frame in its parent's process, or in its own."""
    try:
        return parent, *await read_document(reader, parent, place)
    except Error as error:
        if "No frame" not in str(error):
            raise
    session = await _session_of(reader, place.frame_id)
    return session, *await read_document(reader, session, place)


async def _session_of(reader: Reader, frame_id: str) -> CDPSession:
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


def record_in(text: str) -> dict[str, Any]:
    """The record in a capture string, without parsing the document."""
    head = text[: text.index("<head>")]
    start = head.index('data-pf-meta="') + len('data-pf-meta="')
    loaded = json.loads(html.unescape(head[start : head.index('"', start)]))
    return loaded if isinstance(loaded, dict) else {}
