"""The result: what was kept, what was folded away, and why."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from extractor.snapshot import Notice, Snapshot, Wait
from extractor.unseen import Unseen


@dataclass(frozen=True, slots=True)
class Region:
    """A subtree with a role.

    ``ref`` can be unfolded. ``chars`` counts visible code points inside it. ``path`` is a CSS-like path of
    tags from the root. ``confidence`` is 0 to 1; ``evidence`` names what spoke for the role.
    """

    role: str
    ref: str
    chars: int
    path: str
    confidence: float = 1.0
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Fold:
    """One marker in the output. ``chars`` are visible code points behind it, ``items`` its units."""

    ref: str
    items: int
    chars: int
    what: str
    region: str
    rule: str


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """Something taken out. ``ref`` is empty for what cannot be unfolded (hidden text, scripts).

    ``rule`` is one of ``budget``, ``main_only``, ``excluded``, ``collapsed`` (text folded away),
    ``hidden`` (with the reason), ``element`` (a tag that is never shown, by name).
    """

    path: str
    chars: int
    region: str
    rule: str
    reason: str
    ref: str = ""


@dataclass(frozen=True, slots=True)
class HiddenText:
    """Text that people cannot see, reported and never handed out.

    ``chars`` counts code points, ``reason`` is one of the closed list (``display``, ``opacity``,
    ``contrast``, ``unicode``, ``comment``, …). ``sha256`` is that of the text after white-space rules (for
    ``unicode`` of the characters taken out; empty for comments, which are only counted). ``frame`` is the
    address of the frame it stands in; ``None`` in the page itself.
    """

    path: str
    chars: int
    reason: str
    sha256: str
    region: str
    frame: str | None = None


@dataclass(frozen=True, slots=True)
class Span:
    """Where the code points from ``start`` up to ``stop`` of an output stand in the page.

    ``frame`` is the address of the frame (``None``: the page itself), ``shadow`` the paths of the shadow
    hosts around it, outermost first; ``box`` is x, y, width, height in CSS pixels of the nearest element
    that has one (``None`` without a browser).
    """

    start: int
    stop: int
    path: str
    frame: str | None = None
    shadow: tuple[str, ...] = ()
    box: tuple[float, float, float, float] | None = None


@dataclass(frozen=True, slots=True)
class PageVariant:
    """The same capture shaped in another way, beside the page's first format.

    ``kept_chars`` are visible code points in it. ``shared_words`` stand in both, ``missing_words`` in the
    first format alone, ``extra_words`` in this one alone; a word counts as often as it stands there.
    """

    format: str
    filter: str
    budget: int
    content: str
    output_chars: int
    kept_chars: int
    shared_words: int
    missing_words: int
    extra_words: int


@dataclass(frozen=True, slots=True)
class Link:
    """A link with its visible text, absolute address and region; ``rel`` as its author wrote it."""

    url: str
    text: str
    region: str
    rel: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Stats:
    """Sizes in code points, times in milliseconds.

    ``visible_chars`` = ``kept_chars`` + ``folded_chars``. ``hidden_chars`` is apart: the sum of
    ``Page.hidden``.
    """

    raw_chars: int
    visible_chars: int
    kept_chars: int
    folded_chars: int
    hidden_chars: int
    output_chars: dict[str, int]
    budget: dict[str, int]
    tokens_estimate: dict[str, int]
    nodes: int
    timings_ms: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Page:
    """A bounded, well-formed document with the map of what it left out.

    ``provenance`` maps a format to where its text stands in the page; empty unless it was asked for.
    ``stored`` is false where no snapshot was kept, so that refs cannot be unfolded.
    """

    url: str
    final_url: str
    redirects: tuple[str, ...]
    status: int
    content_type: str
    charset: str
    title: str
    lang: str
    captured_at: str
    content: dict[str, str]
    regions: tuple[Region, ...]
    folds: tuple[Fold, ...]
    ledger: tuple[LedgerEntry, ...]
    links: tuple[Link, ...]
    metadata: dict[str, Any]
    warnings: tuple[Notice, ...]
    wait: Wait
    complete: bool
    incomplete_reason: str | None
    stats: Stats
    snapshot: Snapshot
    unseen: tuple[Unseen, ...] = ()
    hidden: tuple[HiddenText, ...] = ()
    variants: tuple[PageVariant, ...] = ()
    provenance: dict[str, tuple[Span, ...]] = field(default_factory=dict)
    stored: bool = True
