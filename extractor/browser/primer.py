"""The capture script, installed while the page still loads, so that reading it need not wait for that."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from playwright.async_api import CDPSession, Error

from extractor.browser.script import capture_source
from extractor.browser.world import ContextLost, World, world_of
from extractor.errors import PageUnresponsive

_LONGEST_S = 60.0
_FAILURES = (Error, ContextLost, PageUnresponsive)


class Primer:
    """Keeps the world of the main document with the capture in it, from one document to the next."""

    def __init__(self, session: CDPSession) -> None:
        self._session = session
        self._latest: asyncio.Task[World] | None = None
        self._tasks: set[asyncio.Task[World]] = set()
        self._stopped = False

    def prime(self, frame_id: str) -> None:
        """A new document is there: install the capture in its world, beside its loading."""
        if self._stopped:
            return  # a viewer that opens while its page is being closed
        deadline = asyncio.get_running_loop().time() + _LONGEST_S
        self._latest = asyncio.ensure_future(self._installed(frame_id, deadline))
        self._tasks.add(self._latest)

    async def world(self, frame_id: str, deadline: float) -> World:
        """The main document's world, with the capture installed.

        Raises:
            ContextLost: the document went away.
            PageUnresponsive: the script did not come back in time.
        """
        if self._latest is not None:
            try:
                world = await asyncio.shield(self._latest)
            except _FAILURES:
                self._latest = None  # it was not the last document, or was interrupted
            else:
                return replace(world, deadline=deadline)
        return await self._installed(frame_id, deadline)

    def forget(self) -> None:
        """The world that was primed is no longer the page's."""
        self._latest = None

    async def stop(self) -> None:
        """End what is under way; nothing more is begun."""
        self._stopped = True
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _installed(self, frame_id: str, deadline: float) -> World:
        world = await world_of(self._session, frame_id, deadline)
        await world.value(f"{capture_source()}, true")
        return world
