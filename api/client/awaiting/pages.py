"""Pages and stored captures."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Unpack

from api.client import answers, page_calls
from api.client.awaiting.sending import AsyncSending
from api.client.following import Event
from api.client.options import PageFormat, PageOptions, ReadOptions, ReplayOptions
from api.client.page_calls import PartFormat


class AsyncPages(AsyncSending):
    """Pages and stored captures."""

    async def read(
        self, url: str, *, format: PageFormat = "markdown", **options: Unpack[ReadOptions]
    ) -> str:
        """The page at ``url`` as text in one form."""
        return await self.send(page_calls.read(url, format, options))

    async def page(self, **options: Unpack[PageOptions]) -> answers.Page:
        """The page with all that is known of it."""
        return await self.send(page_calls.page(**options))

    def page_events(self, **options: Unpack[PageOptions]) -> AsyncIterator[Event]:
        """Stages as they begin (``stage``), then the page (``page``)."""
        return self.follow(page_calls.page_events(**options))

    async def again(
        self, snapshot: str, *, format: PageFormat = "markdown", **options: Unpack[ReplayOptions]
    ) -> str:
        """A stored page once more, under another budget, question or filter; nothing is fetched."""
        return await self.send(page_calls.again(snapshot, format, options))

    async def unfold(
        self, snapshot: str, ref: str, *, format: PartFormat = "markdown", budget: int | None = None
    ) -> str:
        """What the marker ``ref`` of a stored page stands for."""
        return await self.send(page_calls.unfold(snapshot, ref, format, budget))
