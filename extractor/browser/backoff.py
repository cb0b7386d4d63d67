"""How long to wait before another browser is started, and when one that lives is stuck all the same."""

from __future__ import annotations

from dataclasses import dataclass

_FIRST_S = 0.2
_LONGEST_S = 5.0


@dataclass(slots=True)
class Backoff:
    """Pauses between launches: none after the first misfortune, then doubling up to five seconds.

    A browser that lived ``calm_s`` seconds or served ``calm_pages`` pages ends a row of misfortunes.
    """

    calm_s: float = 30.0
    calm_pages: int = 5
    misfortunes: int = 0

    @property
    def pause_s(self) -> float:
        """Seconds to wait before the next launch."""
        if self.misfortunes < 2:
            return 0.0
        return min(_FIRST_S * 2.0 ** min(self.misfortunes - 2, 10), _LONGEST_S)

    def failed(self) -> None:
        """A launch failed."""
        self.misfortunes += 1

    def lost(self, *, lived_s: float, pages: int) -> None:
        """A browser that lived so long and served so many pages went away or had to be killed."""
        calm = lived_s >= self.calm_s or pages >= self.calm_pages
        self.misfortunes = 1 if calm else self.misfortunes + 1


@dataclass(slots=True)
class Progress:
    """Whether anything succeeds. All times are of one clock, in seconds."""

    patience_s: float
    last: float = 0.0
    """When something last succeeded, or there was nothing to do."""

    def succeeded(self, now: float) -> None:
        """A page was read, or failed for a reason that is not the browser's."""
        self.last = now

    def stuck(self, now: float, *, work: bool) -> bool:
        """Whether there has been work for ``patience_s`` and none of it succeeded."""
        if not work:
            self.last = now
        return now - self.last > self.patience_s
