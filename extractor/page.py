"""The result: what was kept, what was folded away, and why.

Sizes named ``chars`` are Unicode code points. The line under a field is its documentation, in code and in the
reference of the result alike.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from extractor.snapshot import Notice, Snapshot, Wait
from extractor.unseen import Unseen


@dataclass(frozen=True, slots=True)
class Region:
    """A subtree with a role."""

    role: str
    """`main`, `article`, `nav`, `header`, `footer`, `aside`, `list`, `table`, `form`, `consent`, …"""
    ref: str
    """Its name in the snapshot; it can be unfolded."""
    chars: int
    """Visible code points inside it."""
    path: str
    """Tags from the root to it, as a CSS selector."""
    confidence: float = 1.0
    """How sure the role is, 0 to 1."""
    evidence: tuple[str, ...] = ()
    """What spoke for the role; empty unless `explain` was asked for."""


@dataclass(frozen=True, slots=True)
class Fold:
    """One marker in the output."""

    ref: str
    """Its name in the snapshot; unfolding takes it."""
    items: int
    """Units behind it: sentences, lines, items, rows."""
    chars: int
    """Visible code points behind it."""
    what: str
    """What stands behind it, in a few words of the page's own."""
    region: str
    """Role of the region that it begins in."""
    rule: str
    """Why: `budget`, `main_only`, `excluded`, `not_included`, or `not_read` (of a very large page)."""


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """Something taken out."""

    path: str
    """Tags from the root to it, as a CSS selector; a tag alone where all of that tag are counted together."""
    chars: int
    """Code points of its text."""
    region: str
    """Role of the region that it stood in."""
    rule: str
    """`budget`, `main_only`, `excluded`, `not_included` (folded), `not_read` (of a very large page),
    `collapsed` (closed), `hidden`, `element` (never shown)."""
    reason: str
    """For `hidden` the reason, for `element` its tag, or `icon` (glyphs of an icon font); else empty."""
    ref: str = ""
    """Unfolds it; empty for what cannot be (hidden text, scripts)."""


@dataclass(frozen=True, slots=True)
class HiddenText:
    """Text that people cannot see, reported and never handed out."""

    path: str
    """Tags from the root to it, as a CSS selector; empty for comments."""
    chars: int
    """Its code points."""
    reason: str
    """One of a closed list: `display`, `opacity`, `contrast`, `clip`, `unicode`, `comment`, …"""
    sha256: str
    """Of the text after white-space rules; for `unicode` of what was taken out; empty for comments."""
    region: str
    """Role of the region that it stands in."""
    frame: str | None = None
    """Address of the frame that it stands in; null in the page itself."""


@dataclass(frozen=True, slots=True)
class Span:
    """Where a stretch of the output stands in the page."""

    start: int
    """Its first code point in the output, counted from 0."""
    stop: int
    """The code point behind its last."""
    path: str
    """Tags from the root to its element, as a CSS selector."""
    frame: str | None = None
    """Address of the frame; null in the page itself."""
    shadow: tuple[str, ...] = ()
    """Paths of the shadow hosts around it, outermost first."""
    box: tuple[float, float, float, float] | None = None
    """x, y, width, height in CSS pixels of the nearest element that has a box; null without a browser."""


@dataclass(frozen=True, slots=True)
class PageVariant:
    """The same capture shaped in another way, beside the page's first format."""

    format: str
    """Its format."""
    filter: str
    """Its filter."""
    budget: int
    """Most code points that it may have; 0 for no limit."""
    content: str
    """The document itself."""
    output_chars: int
    """Its code points."""
    kept_chars: int
    """Visible code points of the page in it."""
    shared_words: int
    """Words in both; a word counts as often as it stands there."""
    missing_words: int
    """Words in the first format alone."""
    extra_words: int
    """Words in this variant alone."""


@dataclass(frozen=True, slots=True)
class Link:
    """A visible link."""

    url: str
    """Absolute address."""
    text: str
    """Its visible text, white space collapsed."""
    region: str
    """Role of the region that it stands in."""
    rel: tuple[str, ...] = ()
    """How its author says it relates to the page, in small letters: `next`, `nofollow`, `sponsored`, …"""


@dataclass(frozen=True, slots=True)
class Stats:
    """Sizes and times. `visible_chars` is `kept_chars` + `folded_chars`."""

    raw_chars: int
    """Code points of the page's own markup, before any cleaning."""
    visible_chars: int
    """Code points of text that a reader can see."""
    kept_chars: int
    """Visible code points in the first format."""
    folded_chars: int
    """Visible code points behind its folds."""
    hidden_chars: int
    """Code points of hidden text, counted apart: the sum of `hidden`."""
    output_chars: dict[str, int]
    """Code points of each output, markup and markers included."""
    budget: dict[str, int]
    """Most code points that each output might have; 0 for no limit."""
    tokens_estimate: dict[str, int]
    """Tokens of each output, estimated from its length."""
    nodes: int
    """Elements and texts of the captured document."""
    markup: dict[str, str] = field(default_factory=dict)
    """How much markup an output has where that is not all: `main:lean rest:bare`."""
    markup_left_out: dict[str, int] = field(default_factory=dict)
    """Attributes of the whole page that such an output has not, or shorter."""
    timings_ms: dict[str, float] = field(default_factory=dict)
    """Milliseconds by stage."""


@dataclass(frozen=True, slots=True)
class Page:
    """A bounded, well-formed document with the map of what it left out."""

    url: str
    """The address asked for."""
    final_url: str
    """The address after redirects."""
    redirects: tuple[str, ...]
    """Addresses on the way, in order."""
    status: int
    """The page's own HTTP status; a page that answers 404 is a page."""
    content_type: str
    """Its media type, without parameters."""
    charset: str
    """The encoding that it was read in."""
    title: str
    """Its title, without Unicode tricks."""
    lang: str
    """Its language as it says itself (BCP 47), or empty."""
    captured_at: str
    """ISO 8601 in UTC; empty for markup in hand."""
    content: dict[str, str]
    """The document in each format asked for; `screenshot` and `pdf` as base64."""
    regions: tuple[Region, ...]
    """Parts of the page with a role, in reading order."""
    folds: tuple[Fold, ...]
    """The markers of the first format, in reading order."""
    ledger: tuple[LedgerEntry, ...]
    """Everything that was taken out."""
    links: tuple[Link, ...]
    """Visible links in reading order, each address and text once."""
    metadata: dict[str, Any]
    """JSON-LD, OpenGraph, canonical address, author, dates; empty without the format `metadata`."""
    warnings: tuple[Notice, ...]
    """What the caller should know and is no error."""
    wait: Wait
    """What ended the wait for the page."""
    complete: bool
    """False where a limit or the deadline cut the page short."""
    incomplete_reason: str | None
    """The limit that cut it short; null where nothing did."""
    stats: Stats
    """Sizes and times."""
    snapshot: Snapshot
    """The capture that all of this was made from."""
    unseen: tuple[Unseen, ...] = ()
    """What the capture did not bring, or a person has to open."""
    hidden: tuple[HiddenText, ...] = ()
    """Text that people cannot see: where, how much, why; never the text."""
    variants: tuple[PageVariant, ...] = ()
    """The variants asked for, in their order."""
    provenance: dict[str, tuple[Span, ...]] = field(default_factory=dict)
    """By format, where its text stands in the page; empty unless it was asked for."""
    stored: bool = True
    """Whether the snapshot was kept, so that refs can be unfolded."""
