"""Which tabs are open, whose they are, and why others no longer are."""

from __future__ import annotations

import contextlib
from collections import Counter, OrderedDict
from collections.abc import Iterator

from extractor.errors import Busy, ExtractorError, NotFound
from extractor.settings import ExtractorSettings
from extractor.tabs.tab import LiveTab

#: Of so many tabs that ended is known why.
_REMEMBERED = 1_000
_RETRY_S = 30.0


class Shelf:
    """The open tabs, and places for those that are being opened. Counts by tenant."""

    def __init__(self, settings: ExtractorSettings) -> None:
        self._most, self._each = settings.max_tabs, settings.tenant_tabs
        self._tabs: dict[str, LiveTab] = {}
        self._coming: Counter[str] = Counter()
        self._ended: OrderedDict[str, tuple[str, ExtractorError]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._tabs)

    def all(self) -> tuple[LiveTab, ...]:
        """Every tab, oldest first."""
        return tuple(self._tabs.values())

    def of(self, tenant: str) -> tuple[LiveTab, ...]:
        """A tenant's tabs, oldest first."""
        return tuple(tab for tab in self._tabs.values() if tab.tenant == tenant)

    def get(self, tab_id: str, tenant: str) -> LiveTab:
        """The tenant's tab.

        Raises:
            NotFound: there is none, or it is another's.
            ExtractorError: it ended lately, and this is why.
        """
        tab = self._tabs.get(tab_id)
        if tab is not None and tab.tenant == tenant:
            return tab
        owner, reason = self._ended.get(tab_id, (None, None))
        if reason is not None and owner == tenant:
            raise reason
        raise NotFound("There is no such tab.")

    @contextlib.contextmanager
    def place(self, tenant: str) -> Iterator[None]:
        """Hold a place for a tab while it is being opened.

        Raises:
            Busy: as many are open as may be.
        """
        refusal = self.refusal(tenant)
        if refusal:
            raise Busy(f"No more tabs may be open: {refusal}. Close one.", retry_after_s=_RETRY_S)
        self._coming[tenant] += 1
        try:
            yield
        finally:
            self._coming[tenant] -= 1

    def refusal(self, tenant: str) -> str:
        """The setting by which the tenant may have no more tabs, or empty."""
        if len(self._tabs) + self._coming.total() >= self._most:
            return "max_tabs"
        own = len(self.of(tenant)) + self._coming[tenant]
        return "tenant_tabs" if tenant and own >= self._each else ""

    def add(self, tab: LiveTab) -> None:
        """Put it there."""
        self._tabs[tab.id] = tab

    def take(self, tab: LiveTab, reason: ExtractorError) -> bool:
        """Take it away, and remember why; whether it was there."""
        if self._tabs.pop(tab.id, None) is None:
            return False
        self._ended[tab.id] = (tab.tenant, reason)
        while len(self._ended) > _REMEMBERED:
            self._ended.popitem(last=False)
        return True
