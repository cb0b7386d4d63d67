"""What a capture is lent to load a page in."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from playwright.async_api import BrowserContext


class Lease(Protocol):
    """A browser context that is the caller's until it is given back."""

    @property
    def context(self) -> BrowserContext:
        """The context."""
        ...

    @property
    def crash_cause(self) -> Callable[[], str]:
        """Tells the setting for which a renderer was just ended, or an empty text."""
        ...
