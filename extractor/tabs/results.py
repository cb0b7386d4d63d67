"""What a tab answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from extractor.page import Page


@dataclass(frozen=True, slots=True)
class Tab:
    """A page that is open. ``opener`` is the tab whose page opened it, or empty; times are seconds."""

    id: str
    url: str
    title: str
    opener: str
    age_s: float
    idle_s: float
    expires_in_s: float


@dataclass(frozen=True, slots=True)
class Control:
    """Something that can be acted on.

    ``role`` as a screen reader says it; ``value`` never that of a password; ``states`` such as ``checked``,
    ``disabled``, ``expanded``, ``required``; ``options`` of a list of choices; ``url`` of a link; ``in_view``
    whether it can be seen without scrolling.
    """

    ref: str
    role: str
    name: str
    tag: str
    value: str
    states: tuple[str, ...]
    options: tuple[str, ...]
    url: str
    in_view: bool


@dataclass(frozen=True, slots=True)
class Changes:
    """Lines of the page's visible text that came and went since the last scan, each at most once a place.

    ``moved_on`` says that it is another document, which is not compared. ``more`` counts what is past the
    limits.
    """

    added: tuple[str, ...]
    removed: tuple[str, ...]
    moved_on: bool
    more: int = 0


@dataclass(frozen=True, slots=True)
class Scan:
    """A look at a tab. ``more_controls`` counts the controls that are not listed.

    With ``changes_only`` after the first scan of a document ``page`` is ``None`` and ``controls`` are the new
    and changed ones.
    """

    tab: Tab
    page: Page | None
    controls: tuple[Control, ...]
    more_controls: int
    changes: Changes | None


@dataclass(frozen=True, slots=True)
class Change:
    """A place in the page that changed: a path to it, what happened, and its text (cut) afterwards.

    ``value`` is what a field holds; a password is only as many dots.
    """

    path: str
    kind: Literal["added", "removed", "text", "attribute", "value"]
    text: str
    chars: int


@dataclass(frozen=True, slots=True)
class Dialog:
    """A dialog of the page's script and how it was answered."""

    kind: str
    message: str
    answer: Literal["accepted", "dismissed"]


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
        new_tabs: tabs that the page opened.
        refused: windows, downloads and documents that were refused, and caps that were hit, in words.
        dialogs: in their order.
        navigated: the address that the page went to, or empty.
        wait: what ended the wait for the page.
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
    new_tabs: tuple[Tab, ...] = ()
    refused: tuple[str, ...] = ()
    dialogs: tuple[Dialog, ...] = ()
    navigated: str = ""
    wait: str = ""
