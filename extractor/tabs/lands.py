"""Documents whose controls are listed each in a world of its own: the page's, and those of other origins."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import structlog
from playwright.async_api import CDPSession, Error

from extractor.browser.script import WORLD, changes_source, controls_source
from extractor.browser.world import ContextLost, World, world_of
from extractor.errors import PageUnresponsive
from extractor.tabs.tab import LiveTab

_log = structlog.get_logger(__name__)
#: What is no document any more, or does not let itself be asked.
GONE = (Error, ContextLost, PageUnresponsive, LookupError, TimeoutError)
_MOST_LANDS = 30
#: A frame that does not answer by then keeps its controls to itself; so do those past the time of all.
_FRAME_S = 1.0
_ALL_FRAMES_S = 3.0


@dataclass(frozen=True, slots=True, eq=False)
class Land:
    """The page's document, or that of a frame which no script of the one around it may look into.

    ``owner`` is the frame's element by its id at the browser, in ``parent``'s document.
    """

    session: CDPSession
    frame_id: str
    parent: Land | None = None
    owner: int = 0

    async def world(self, tab: LiveTab, deadline: float) -> World:
        """Where its controls are known."""
        if self.parent is None:
            return await tab.world(deadline)
        return await world_of(self.session, self.frame_id, deadline)

    async def ask(self, tab: LiveTab, call: str, deadline: float) -> Any:
        """The result of a call on its controls."""
        world = await self.world(tab, deadline)
        return await world.value(f"{controls_source()}, __pagefoldControls.{call}")

    async def of_owner(self, tab: LiveTab, call: str, deadline: float) -> Any:
        """The result of a call about the frame's element, in the document around it."""
        if self.parent is None:
            raise LookupError("the page stands in no frame")
        world = await self.parent.world(tab, deadline)
        where = {"backendNodeId": self.owner, "executionContextId": world.context}
        found = await world.session.send("DOM.resolveNode", where)
        order = {
            "functionDeclaration": f"function () {{ return __pagefoldControls.{call} }}",
            "objectId": found["object"]["objectId"],
            "returnByValue": True,
        }
        answer = await world.session.send("Runtime.callFunctionOn", order)
        await world.session.send("Runtime.releaseObject", {"objectId": order["objectId"]})
        return answer["result"].get("value")


def home(tab: LiveTab) -> Land:
    """The page's own document."""
    return Land(tab.session, tab.watch.main_frame)


async def begin_in(land: Land, tab: LiveTab, deadline: float) -> None:
    """Note what changes in a frame from now on, as the page's own script does for the page."""
    with contextlib.suppress(*GONE):
        world = await land.world(tab, deadline)
        await world.value(
            f"globalThis.__pagefoldFramed = true, {changes_source()}, __pagefoldChanges.begin()"
        )


async def end_in(land: Land, tab: LiveTab, deadline: float) -> dict[str, Any]:
    """What changed since; empty when the frame has gone."""
    with contextlib.suppress(*GONE):
        world = await land.world(tab, deadline)
        found = await world.value("globalThis.__pagefoldChanges?.end()")
        return found if isinstance(found, dict) else {}
    return {}


async def frames_in(land: Land, tab: LiveTab, deadline: float) -> AsyncIterator[Land]:
    """Frames of other origins in a document whose controls were just listed."""
    world = await land.world(tab, deadline)
    for item in await world.objects("__pagefoldControls.foreign"):
        node = (await world.session.send("DOM.describeNode", {"objectId": item}))["node"]
        frame_id = str(node.get("frameId", ""))
        if frame_id:
            session = await _session_of(land.session, tab, frame_id)
            yield Land(session, frame_id, land, int(node["backendNodeId"]))


async def _session_of(parent: CDPSession, tab: LiveTab, frame_id: str) -> CDPSession:
    """That of the document around it, or of its own process."""
    if frame_id in tab.remote:
        return tab.remote[frame_id]
    try:
        await world_of(parent, frame_id, 0)
    except Error as error:
        if "No frame" not in str(error):
            raise
    else:
        return parent
    for frame in tab.page.frames[1:]:
        try:
            session = await tab.page.context.new_cdp_session(frame)
        except Error:
            continue  # it shares a process with the page
        tree = await session.send("Page.getFrameTree")
        found = str(tree["frameTree"]["frame"]["id"])
        if found in tab.remote:
            await session.detach()
        else:
            tab.remote[found] = session
    return tab.remote[frame_id]


async def listed(tab: LiveTab, most: int, deadline: float) -> list[tuple[Land, dict[str, Any]]]:
    """What each document lists, the page's first; frames that do not answer are left out.

    Each frame's record holds what of ``most`` the ones before it have left.
    """
    now = asyncio.get_running_loop().time
    end = min(deadline, now() + _ALL_FRAMES_S)
    next_ref, left = tab.next_ref, most
    out: list[tuple[Land, dict[str, Any]]] = []
    waiting = [home(tab)]
    while waiting and len(out) < _MOST_LANDS:
        land = waiting.pop(0)
        until = deadline if land.parent is None else min(end, now() + _FRAME_S)
        try:
            async with asyncio.timeout_at(until):
                options = {"next": next_ref, "most": left}
                if land.parent is not None:
                    options["view"] = await land.of_owner(tab, "shows(this)", until)
                found = await land.ask(tab, f"list({json.dumps(options)})", until)
                out.append((land, found))
                next_ref, left = int(found["next"]), left - len(found["controls"])
                if found["foreign"]:
                    waiting += [each async for each in frames_in(land, tab, until)]
        except GONE as error:
            if land.parent is None:
                raise
            _log.info("frame_not_listed", error=f"{type(error).__name__}: {error}"[:200])
    await _forget(tab, {land.frame_id for land, _ in out})
    return out


async def _forget(tab: LiveTab, there: set[str]) -> None:
    """Let go of frames that are gone, and of what the browser holds for this scan."""
    for frame_id in tab.remote.keys() - there:
        with contextlib.suppress(Error):
            await tab.remote.pop(frame_id).detach()
    for session in (tab.session, *tab.remote.values()):
        with contextlib.suppress(Error):
            await session.send("Runtime.releaseObjectGroup", {"objectGroup": WORLD})
