"""What the stages before the fold hand over, and what a caller may ask of those after it."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Literal

from extractor.filters import OURS
from extractor.regions import Regions
from extractor.snapshot import Snapshot
from extractor.units import Doc
from extractor.visibility import SR_ONLY_CHARS, Verdicts

Collapsed = Literal["keep", "drop"]
Markup = Literal["auto", "full", "lean", "bare"]


@dataclass(frozen=True, slots=True)
class Options:
    """How to filter a snapshot. ``budget`` ``None`` means each format's default, 0 no limit.

    ``main_only`` ``None`` means: yes for Markdown, no for the others. ``fold`` says what goes first where not
    all fits: what is worth least (``value``), or the middle (``head_tail``). ``fence_key``: stand texts in a
    fence made with it. ``unfold``: whether the snapshot is kept, so that refs will mean something.
    ``markup``: its degree in HTML and Markdown; ``auto`` chooses by what fits (see ``spend``).
    ``sr_only_chars``: characters of one label for screen readers; more is hidden text. ``include_hidden``:
    hidden text stays in the document, labelled.
    """

    format: tuple[str, ...] = ("html",)
    budget: int | None = None
    query: str | None = None
    main_only: bool | None = None
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    collapsed: Collapsed = "keep"
    filter: str = OURS
    fold: Literal["value", "head_tail"] = "value"
    variants: tuple[Options, ...] = ()
    explain: bool = False
    provenance: bool = False
    fence_key: bytes | None = None
    unfold: bool = True
    sr_only_chars: int = SR_ONLY_CHARS
    include_hidden: bool = False
    markup: Markup = "auto"

    @property
    def refs_resolve(self) -> bool:
        """Whether refs of the result can be unfolded later."""
        return self.unfold and self.filter in (OURS, "visible") and not self.include_hidden


@dataclass(frozen=True, slots=True)
class Judged:
    """A snapshot after the stages that do not depend on budget, query or format.

    ``html`` is what the stages read: the snapshot's, or what another filter made of it. ``title`` is the
    page's without Unicode tricks.
    """

    snapshot: Snapshot
    html: str
    snapshot_id: str
    title: str
    verdicts: Verdicts
    regions: Regions
    doc: Doc
    timings_ms: dict[str, float]


class Clock:
    """Milliseconds by stage; read only for the statistics, never for a decision."""

    def __init__(self, laps: dict[str, float] | None = None) -> None:
        self.laps: dict[str, float] = laps if laps is not None else {}
        self._last = time.perf_counter()

    def lap(self, name: str) -> None:
        """Write down the time since the last lap under ``name``."""
        now = time.perf_counter()
        self.laps[name] = round((now - self._last) * 1000, 3)
        self._last = now
