"""What a tab answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from extractor.page import Page


@dataclass(frozen=True, slots=True)
class Tab:
    """A page that is open."""

    id: str
    """Its id."""
    url: str
    """Where it is now."""
    title: str
    """Its title, as of the last call."""
    opener: str
    """Id of the tab whose page opened it, or empty."""
    age_s: float
    """Seconds since it was opened."""
    idle_s: float
    """Seconds since it was used."""
    expires_in_s: float
    """Seconds until it is closed, if nobody uses it."""


@dataclass(frozen=True, slots=True)
class Control:
    """Something that can be acted on."""

    ref: str
    """By which it is acted on; it holds until the next scan."""
    role: str
    """What it is, as a screen reader says it."""
    name: str
    """What a person would call it."""
    tag: str
    """Its element."""
    value: str
    """What it holds; never a password."""
    states: tuple[str, ...]
    """Such as `checked`, `disabled`, `required`, `expanded`, `collapsed`, `readonly`, `password`."""
    options: tuple[str, ...]
    """Of a list of choices."""
    context: str
    """Where others are called the same: the beginning of what it stands in, such as a row or an item."""
    frame: str
    """Of what stands in a frame of another origin: the address of that."""
    url: str
    """Of a link."""
    in_view: bool
    """Whether it can be seen without scrolling."""


@dataclass(frozen=True, slots=True)
class Changes:
    """Lines of the page's visible text that came and went since the last scan."""

    added: tuple[str, ...]
    """Lines that were not there."""
    removed: tuple[str, ...]
    """Lines that are no longer there."""
    moved_on: bool
    """Whether it is another document, which is not compared: then the page stands in the answer."""
    more: int = 0
    """How many lines are past the limits, `PAGEFOLD_TAB_CHANGE_CHARS`."""


@dataclass(frozen=True, slots=True)
class Scan:
    """A look at a tab. ``more_controls`` counts the controls that are not listed; ``meanwhile`` are texts
    that came and went while no call ran.

    With ``changes_only`` after the first scan of a document ``page`` is ``None`` and ``controls`` are the new
    and changed ones.
    """

    tab: Tab
    page: Page | None
    controls: tuple[Control, ...]
    more_controls: int
    changes: Changes | None
    meanwhile: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Change:
    """A place in the page that changed."""

    path: str
    """Where: tags, ids and classes."""
    kind: Literal["added", "removed", "text", "attribute", "value"]
    """What happened; `value` is what a field holds."""
    text: str
    """Its text afterwards, cut to 200 characters (the largest change: 2,000); a password as dots."""
    chars: int
    """Characters of the whole text."""


@dataclass(frozen=True, slots=True)
class Dialog:
    """A dialog of the page's script."""

    kind: str
    """`alert`, `confirm`, `prompt` or `beforeunload`."""
    message: str
    """What it said, cut to 1,000 characters."""
    answer: Literal["accepted", "dismissed"]
    """What it was answered."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a step did.

    Attributes:
        tab: the tab afterwards.
        value: of ``execute``: text, or JSON of what is none; its head and tail when it is longer than asked.
        value_type: as JavaScript names it: ``string``, ``object``, ``undefined``, …
        value_chars: characters of the whole value.
        whole: the whole value; the API keeps it when asked.
        changed: places that changed, largest first.
        more_changed: how many more there were.
        largest: the first of ``changed``, with more of its text; ``None`` when nothing changed.
        transient: texts that came and were gone again.
        meanwhile: texts that did so between the call before and this one.
        new_tabs: tabs that the page opened and nobody was told of yet.
        refused: windows, downloads and documents that were refused, and caps that were hit, in words.
        dialogs: in their order, with those that came while no call ran and were dismissed.
        navigated: the address that the page went to, within its document or not; or empty.
        wait: what ended the wait for the page; ``read_only`` for a script that does nothing but read.
    """

    tab: Tab
    value: str = ""
    value_type: str = "undefined"
    value_chars: int = 0
    whole: str = ""
    changed: tuple[Change, ...] = ()
    more_changed: int = 0
    largest: Change | None = None
    transient: tuple[str, ...] = ()
    meanwhile: tuple[str, ...] = ()
    new_tabs: tuple[Tab, ...] = ()
    refused: tuple[str, ...] = ()
    dialogs: tuple[Dialog, ...] = ()
    navigated: str = ""
    wait: str = ""
