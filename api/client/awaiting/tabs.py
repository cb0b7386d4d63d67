"""Pages that stay open."""

from __future__ import annotations

from typing import Unpack

from api.client import answers, tab_calls
from api.client.awaiting.sending import AsyncSending
from api.client.options import ActOptions, ExecuteOptions, ScanOptions, TabOptions


class AsyncTabs(AsyncSending):
    """Pages that stay open."""

    async def open_tab(self, **options: Unpack[TabOptions]) -> answers.Tab:
        """Open a page that stays; it is closed when nobody has used it for a while."""
        return await self.send(tab_calls.open_tab(options))

    async def tabs(self) -> list[answers.Tab]:
        """The tabs that are open, oldest first."""
        return await self.send(tab_calls.tabs())

    async def tab(self, tab: str) -> answers.Tab:
        """Where a tab is, and how long it has been idle."""
        return await self.send(tab_calls.show(tab))

    async def scan(self, tab: str, **options: Unpack[ScanOptions]) -> answers.Scan:
        """The page of a tab as it stands, with refs of what can be acted on."""
        return await self.send(tab_calls.scan(tab, options))

    async def act(self, tab: str, **options: Unpack[ActOptions]) -> answers.Outcome:
        """Click, type, select, press or scroll; what that changed."""
        return await self.send(tab_calls.act(tab, options))

    async def execute(self, tab: str, **options: Unpack[ExecuteOptions]) -> answers.Outcome:
        """Run a script in a tab; its value, and what it changed."""
        return await self.send(tab_calls.execute(tab, options))

    async def value(self, ref: str) -> str:
        """The whole value of a script that was saved."""
        return await self.send(tab_calls.value(ref))

    async def screenshot(
        self, tab: str, *, full_page: bool = False, max_bytes: int | None = None
    ) -> bytes:
        """A PNG of a tab; where that would be larger than ``max_bytes``, a JPEG of what is in view."""
        return await self.send(tab_calls.screenshot(tab, full_page, max_bytes))

    async def close_tab(self, tab: str) -> None:
        """Close a tab; those that its page opened stay."""
        await self.send(tab_calls.close(tab))
