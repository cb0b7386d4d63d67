# Made from its namesake in ../awaiting: python -m api.reference
"""Pages and stored captures."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Unpack

from api.client import answers, page_calls
from api.client.blocking.sending import Sending
from api.client.following import Event
from api.client.options import PageFormat, PageOptions, ReadOptions, ReplayOptions
from api.client.page_calls import PartFormat


class Pages(Sending):
    """Pages and stored captures."""

    def read(
        self, url: str, *, format: PageFormat = "markdown", **options: Unpack[ReadOptions]
    ) -> str:
        """The page at ``url`` as text in one form."""
        return self.send(page_calls.read(url, format, options))

    def page(self, **options: Unpack[PageOptions]) -> answers.Page:
        """The page with all that is known of it."""
        return self.send(page_calls.page(**options))

    def page_events(self, **options: Unpack[PageOptions]) -> Iterator[Event]:
        """Stages as they begin (``stage``), then the page (``page``)."""
        return self.follow(page_calls.page_events(**options))

    def again(
        self, snapshot: str, *, format: PageFormat = "markdown", **options: Unpack[ReplayOptions]
    ) -> str:
        """A stored page once more, under another budget, question or filter; nothing is fetched."""
        return self.send(page_calls.again(snapshot, format, options))

    def unfold(
        self, snapshot: str, ref: str, *, format: PartFormat = "markdown", budget: int | None = None
    ) -> str:
        """What the marker ``ref`` of a stored page stands for."""
        return self.send(page_calls.unfold(snapshot, ref, format, budget))
