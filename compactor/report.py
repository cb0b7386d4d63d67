"""What an append did: every change by name, nothing silent."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Literal

from compactor.messages import JsonObject

Step = Literal[
    "truncate", "fold", "archive", "mend", "compress", "evict", "window", "summarise", "clear"
]


@dataclass(frozen=True, slots=True)
class Change:
    """One change. ``seq`` is the message's number in the session, ``ref`` the archived original.

    ``before`` and ``after`` are characters; ``why`` says what rule asked for it.
    """

    step: Step
    seq: int
    ref: str
    before: int
    after: int
    why: str


@dataclass(frozen=True, slots=True)
class Covered:
    """One line of the coverage certificate, for entry ``seq`` of the session.

    Kept: it stands unchanged at index ``at`` of the context. Not kept: ``original`` is the ref of
    the whole entry, and ``refs`` of the pieces that markers in the context point to.
    """

    seq: int
    kept: bool
    at: int = -1
    original: str = ""
    refs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Report:
    """Result of an append.

    ``cost_chars`` is the context's cost in its dearest checked format. ``certificate`` has a line for
    each entry that was changed: where all of it is now. ``warning`` says why the provider's cache is hit too
    rarely, by the usage that was reported; ``notes`` what a summariser got wrong.
    """

    version: int
    appended: tuple[int, ...]
    changes: tuple[Change, ...]
    cost_chars: int
    budget_chars: int
    certificate: tuple[Covered, ...] = ()
    warning: str = ""
    notes: tuple[str, ...] = ()

    def as_json(self) -> JsonObject:
        """Plain JSON: lists where this has tuples."""
        return as_json(self)


@dataclass(frozen=True, slots=True)
class Reworked:
    """What came of a step that an owner asked for.

    ``status`` is ``done``, or says why nothing was changed: ``below the trigger``, ``no progress
    possible``, ``rejected: …``, ``failed: …``, ``superseded`` or ``circuit open``. Tokens are estimated
    by one counter, of what was replaced and of what stands for it. ``certificate`` has a line for each
    entry that was changed; ``notes`` say what a summariser got wrong.
    """

    status: str
    changes: tuple[Change, ...] = ()
    before_tokens: int = 0
    after_tokens: int = 0
    certificate: tuple[Covered, ...] = ()
    notes: tuple[str, ...] = ()

    def as_json(self) -> JsonObject:
        """Plain JSON: lists where this has tuples."""
        return as_json(self)


def as_json(record: Report | Reworked) -> JsonObject:
    """A record as plain JSON."""
    made: JsonObject = asdict(record)
    listed = {name: [dict(line) for line in made[name]] for name in ("changes", "certificate")}
    for line in listed["certificate"]:
        line["refs"] = list(line["refs"])
    made |= listed
    made["notes"] = list(made["notes"])
    if "appended" in made:
        made["appended"] = list(made["appended"])
    return made
