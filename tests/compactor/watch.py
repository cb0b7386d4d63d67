"""Contexts of a session compared from one request to the next."""

from __future__ import annotations

from typing import Any

from compactor import Report, Session
from compactor.cost import serialise

NOTE = "### [WORKING MEMORY]"
#: Steps that leave alone what was sent.
ON_ENTRY = {"truncate", "mend"}
#: What may stand between the end of one context's last entry and the note, or the end of the list.
FRAME = 40


def _ends_an_epoch(report: Report) -> bool:
    return any(change.step not in ON_ENTRY for change in report.changes)


def _asks(messages: list[Any]) -> bool:
    """Whether a model could be asked now: nothing waits, and the assistant has not just spoken."""
    last = messages[-1] if messages else {}
    kind = last.get("type", "")
    return bool(messages) and last.get("role") != "assistant" and kind in ("", "message")  # fmt: skip


def _shared(one: str, two: str) -> int:
    """Length of the common start."""
    low, high = 0, min(len(one), len(two))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if one[:middle] == two[:middle] else (low, middle - 1)
    return low


def _stays(messages: list[Any], after: str) -> bool:
    """Whether all of a context stands at the start of a later one, but for its note and brackets."""
    before = serialise(messages)
    at = before.rfind(NOTE)
    kept = len(before) - 1 if at < 0 else at
    return _shared(before, after) >= kept - FRAME


def _stays_but_for_the_newest(messages: list[Any], after: str) -> bool:
    """For providers that want neighbours of one role joined: the newest entry may go on."""
    kept = serialise(messages[:-1])[:-1]
    return _shared(kept, after) == len(kept)


class Watch:
    """In an epoch the one of each of these formats is the start of the next."""

    def __init__(self, session: Session, names: tuple[str, ...], *, joins: bool = False) -> None:
        self.session, self.names = session, names
        self.stays = _stays_but_for_the_newest if joins else _stays
        self.before: dict[str, list[Any]] = {}
        self.epochs = 1

    def append(self, message: Any, format: str) -> Report:
        """Append it, and compare what would be sent now."""
        report = self.session.append(message, format)
        if _ends_an_epoch(report):
            self.before.clear()
            self.epochs += 1
        if self.session.as_json()["open_calls"]:
            return report
        for name in self.names:
            made = self.session.context(name).messages
            if not _asks(made):
                continue
            written = serialise(made)
            if name in self.before:
                assert self.stays(self.before[name], written), (name, self.before[name], made)
            self.before[name] = made
        return report
