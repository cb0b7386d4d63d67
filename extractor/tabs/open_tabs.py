"""All tabs of a process: who has which, how many, and until when."""

from __future__ import annotations

from extractor.tabs.requests import TabAct, TabExecute, TabOpen, TabScan, TabShot
from extractor.tabs.results import Outcome, Scan, Tab


class Tabs:
    """The tabs of all tenants; a part of ``Extractor``, which starts and closes it."""

    async def open(self, wanted: TabOpen, *, tenant: str = "") -> Tab:
        """Open a page in a window of its own; it stays until it is closed or has been idle too long.

        Raises:
            Busy: as many tabs are open as may be.
            ExtractorError: as of ``Extractor.extract``.
        """
        raise NotImplementedError

    def list(self, tenant: str = "") -> tuple[Tab, ...]:
        """The tenant's tabs, oldest first."""
        raise NotImplementedError

    async def scan(self, tab_id: str, wanted: TabScan, *, tenant: str = "") -> Scan:
        """Read the page as it stands, with refs of what can be acted on."""
        raise NotImplementedError

    async def execute(self, tab_id: str, wanted: TabExecute, *, tenant: str = "") -> Outcome:
        """Run a script in the page, and say what it gave and what changed.

        Raises:
            ScriptFailed: it threw, or cannot be parsed.
        """
        raise NotImplementedError

    async def act(self, tab_id: str, wanted: TabAct, *, tenant: str = "") -> Outcome:
        """Click, type, select, press or scroll, and say what changed.

        Raises:
            StaleRef: the ref is not of the last scan, or its element is gone.
            NotActionable: the element is disabled, covered or of another kind.
        """
        raise NotImplementedError

    async def screenshot(self, tab_id: str, wanted: TabShot, *, tenant: str = "") -> bytes:
        """A PNG of what is in view, or of the whole page."""
        raise NotImplementedError

    async def close(self, tab_id: str, *, tenant: str = "") -> None:
        """Close a tab; those that its page opened stay."""
        raise NotImplementedError
