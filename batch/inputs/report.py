"""What became of every entry of an input: counted, and where it was left out, named."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Note:
    """One entry that was left out. ``place`` is where it stands, as people count: ``line 12``."""

    place: str
    reason: str
    detail: str


@dataclass(slots=True)
class InputReport:
    """Filled while an input is read; complete once its last task was taken.

    ``entries`` is ``tasks`` and everything in ``bad``, ``skipped`` and ``repeated``.

    Attributes:
        kept_notes: how many notes are kept of each kind; more are counted.
        kind: of the input, once it is known.
        entries: that were met.
        tasks: that were made of them.
        bad: entries that cannot be read, by reason.
        bad_notes: the first of them.
        skipped: entries that are not meant to be read, by reason: ``redirect``, ``not_html``, ``revisit``, …
        repeated: entries whose address came before, and was not read again.
        repeat_notes: the first of them; ``detail`` has the index of the task that has the address.
    """

    kept_notes: int = 100
    kind: str = ""
    entries: int = 0
    tasks: int = 0
    bad: Counter[str] = field(default_factory=Counter)
    bad_notes: list[Note] = field(default_factory=list)
    skipped: Counter[str] = field(default_factory=Counter)
    repeated: int = 0
    repeat_notes: list[Note] = field(default_factory=list)

    def note_bad(self, place: str, reason: str, detail: str) -> None:
        """Count an entry that cannot be read."""
        self.entries += 1
        self.bad[reason] += 1
        if len(self.bad_notes) < self.kept_notes:
            self.bad_notes.append(Note(place, reason, detail[:300]))

    def note_skipped(self, reason: str) -> None:
        """Count an entry that is not meant to be read."""
        self.entries += 1
        self.skipped[reason] += 1

    def note_repeat(self, place: str, first: int) -> None:
        """Count an entry whose address came before, in the entry counted ``first`` from 0."""
        self.entries += 1
        self.repeated += 1
        if len(self.repeat_notes) < self.kept_notes:
            self.repeat_notes.append(Note(place, "repeated", f"index {first}"))

    def note_task(self) -> None:
        """Count an entry that became a task."""
        self.entries += 1
        self.tasks += 1

    def as_json(self) -> dict[str, Any]:
        """For a manifest: JSON types alone."""
        shown = asdict(self)
        del shown["kept_notes"]
        return {**shown, "bad": dict(self.bad), "skipped": dict(self.skipped)}
