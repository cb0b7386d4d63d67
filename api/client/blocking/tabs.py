# Made from its namesake in ../awaiting: python -m api.reference
"""Pages that stay open."""

from __future__ import annotations

from typing import Unpack

from api.client import answers, tab_calls
from api.client.blocking.sending import Sending
from api.client.options import ActOptions, ExecuteOptions, ScanOptions, TabOptions


class Tabs(Sending):
    """Pages that stay open."""

    def open_tab(self, **options: Unpack[TabOptions]) -> answers.Tab:
        """Open a page that stays; it is closed when nobody has used it for a while."""
        return self.send(tab_calls.open_tab(options))

    def tabs(self) -> list[answers.Tab]:
        """The tabs that are open, oldest first."""
        return self.send(tab_calls.tabs())

    def tab(self, tab: str) -> answers.Tab:
        """Where a tab is, and how long it has been idle."""
        return self.send(tab_calls.show(tab))

    def scan(self, tab: str, **options: Unpack[ScanOptions]) -> answers.Scan:
        """The page of a tab as it stands, with refs of what can be acted on."""
        return self.send(tab_calls.scan(tab, options))

    def act(self, tab: str, **options: Unpack[ActOptions]) -> answers.Outcome:
        """Click, type, select, press or scroll; what that changed."""
        return self.send(tab_calls.act(tab, options))

    def execute(self, tab: str, **options: Unpack[ExecuteOptions]) -> answers.Outcome:
        """Run a script in a tab; its value, and what it changed."""
        return self.send(tab_calls.execute(tab, options))

    def value(self, ref: str) -> str:
        """The whole value of a script that was saved."""
        return self.send(tab_calls.value(ref))

    def screenshot(
        self, tab: str, *, full_page: bool = False, max_bytes: int | None = None
    ) -> bytes:
        """A PNG of a tab; where that would be larger than ``max_bytes``, a JPEG of what is in view."""
        return self.send(tab_calls.screenshot(tab, full_page, max_bytes))

    def close_tab(self, tab: str) -> None:
        """Close a tab; those that its page opened stay."""
        self.send(tab_calls.close(tab))
