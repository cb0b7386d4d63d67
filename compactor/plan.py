"""What a compaction would do, told before it is done."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Literal

from compactor.archive import Archive, ObjectArchive
from compactor.cost import serialise
from compactor.errors import NotFound
from compactor.messages import Json, JsonObject, Message
from compactor.meter import Meter
from compactor.report import Change

Fate = Literal["stay", "refer", "go"]


@dataclass(frozen=True, slots=True)
class Planned:
    """What becomes of entry ``seq``: it stays as it is, a part of it gives way to a ref, or it goes.

    ``before`` and ``after`` are characters in the context; ``refs`` name the originals.
    """

    seq: int
    fate: Fate
    before: int
    after: int
    refs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Plan:
    """A dry run of one batch at ``version``, down to ``target_chars``.

    ``lines`` has one line for each entry that stands in the context now. Sizes are of the messages;
    tokens are estimated. ``prefix_chars`` is how much of the start of what is sent now would be sent
    again unchanged, and so stay cached. ``id`` names exactly this outcome.

    ``keep_cost`` and ``compact_cost`` are what the next ``horizon_requests`` requests cost by the model
    if nothing is done, and if this is done now: in plain input characters, what comes new not counted.
    """

    id: str
    version: int
    target_chars: int
    lines: tuple[Planned, ...]
    before_chars: int
    after_chars: int
    before_tokens: int
    after_tokens: int
    prefix_chars: int
    keep_cost: float = 0.0
    compact_cost: float = 0.0
    horizon_requests: int = 0

    def as_json(self) -> JsonObject:
        """Plain JSON."""
        lines = [{**asdict(line), "refs": list(line.refs)} for line in self.lines]
        return {**asdict(self), "lines": lines}


class Sketch:
    """An archive that keeps what is put into it to itself, so that a dry run leaves no trace."""

    def __init__(self, archive: Archive) -> None:
        self._real = archive
        self._own = ObjectArchive()

    def put(self, value: Json) -> str:
        return self._own.put(value)

    def get(self, ref: str) -> Json:
        try:
            return self._own.get(ref)
        except NotFound:
            return self._real.get(ref)


def planned(
    before: Sequence[Message], after: Sequence[Message], changes: Sequence[Change], meter: Meter
) -> tuple[Planned, ...]:
    """A line for each entry that stands before. Entries that share a message share its size."""
    refs: dict[int, list[str]] = {}
    for change in changes:
        refs.setdefault(change.seq, []).append(change.ref)
    left = {seq: message for message in after for seq, _ in message.members}
    lines = []
    for message in before:
        members = message.members
        for seq, _ in members:
            stands = left.get(seq)
            fate: Fate = "go" if stands is None else "stay" if stands is message else "refer"
            size = 0 if stands is None else meter.one(stands) // len(members)
            own = tuple(dict.fromkeys(filter(None, refs.get(seq, ()))))
            lines.append(Planned(seq, fate, meter.one(message) // len(members), size, own))
    return tuple(lines)


def outcome_id(version: int, target_chars: int, written: str) -> str:
    """The name of one outcome: two plans have the same one only if all would be the same."""
    whole = serialise([version, target_chars, written])
    return hashlib.sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def shared_start(one: str, two: str) -> int:
    """Length of the common start of two texts, in a logarithmic number of comparisons."""
    low, high = 0, min(len(one), len(two))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if one[low:middle] == two[low:middle] else (low, middle - 1)
    return low
