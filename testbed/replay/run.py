"""The whole comparison: every history at every budget through every compactor."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from compactor.cost import serialise
from compactor.errors import CompactorError
from compactor.messages import Json
from testbed.replay.compactors import Opener, Setting
from testbed.replay.demand import Demand, demands
from testbed.replay.facts import Fact, plant
from testbed.replay.measure import Found, Replayed, recall, replay
from testbed.replay.prices import Sent, uncompacted
from testbed.replay.recordings import LONG_CHARS, Recording, calls_of_the_model

#: A budget smaller than this, in characters, is none that an agent could work in.
LEAST_BUDGET = 6_000


@dataclass(frozen=True, slots=True)
class Size:
    """A budget as it is asked for: a share of the history, or characters."""

    label: str
    share: float = 0.0
    chars: int = 0

    def of(self, recording: Recording) -> int:
        """Characters for one history."""
        return self.chars or int(self.share * recording.chars)


@dataclass(frozen=True, slots=True)
class Plan:
    """What to run. ``seed`` places the planted facts, in histories of ``plant_from`` characters and more."""

    openers: dict[str, Opener]
    sizes: tuple[Size, ...]
    seed: int = 0
    plant_from: int = LONG_CHARS


@dataclass(frozen=True, slots=True)
class Row:
    """One history at one budget through one compactor. ``whole`` are the requests without any.

    ``error`` says why it ended before the last request; then nothing of it is counted.
    """

    recording: str
    group: str
    compactor: str
    budget: str
    budget_chars: int
    history_chars: int
    replayed: Replayed
    whole: tuple[Sent, ...]
    found: tuple[Found, ...] = ()
    error: str = ""


@dataclass(frozen=True, slots=True)
class _Case:
    """What is the same for every compactor: the history, its requests, and what they led to."""

    recording: Recording
    places: list[int]
    asked: list[Demand]
    planted: list[Json]
    facts: tuple[Fact, ...]
    whole: tuple[Sent, ...]


def budgets_for(recording: Recording, sizes: Sequence[Size]) -> list[tuple[Size, int]]:
    """The budgets at which a history has to be compacted, and can be."""
    found = [(size, size.of(recording)) for size in sizes]
    return [(s, chars) for s, chars in found if LEAST_BUDGET <= chars < recording.chars]


def run(
    recordings: Sequence[Recording], plan: Plan, *, done: Callable[[str], None] = lambda name: None
) -> list[Row]:
    """Rows in the order of histories, budgets and compactors. Two runs give the same, times aside."""
    rows: list[Row] = []
    for recording in recordings:
        wanted = budgets_for(recording, plan.sizes)
        if not wanted:
            continue
        case = _case(recording, plan)
        for size, chars in wanted:
            for name, opener in plan.openers.items():
                rows.append(_row(case, size.label, chars, name, opener))
                done(f"{recording.name} {size.label} {name}")
    return rows


def _case(recording: Recording, plan: Plan) -> _Case:
    messages, format = recording.messages, recording.format
    places = calls_of_the_model(messages, format)
    whole = uncompacted(_sizes(recording, places))
    planted: list[Json] = []
    facts: tuple[Fact, ...] = ()
    if recording.chars >= plan.plant_from:
        planted, facts = plant(messages, format, before=places[-1], seed=plan.seed)
    asked = list(demands(messages, format, places))
    return _Case(recording, places, asked, planted, facts, tuple(whole))


def _sizes(recording: Recording, places: Sequence[int]) -> list[int]:
    """Characters of the whole history at each request."""
    ends, total = [], 1
    for message in recording.messages:
        ends.append(total)
        total += len(serialise(message)) + 1
    return [ends[place] for place in places]


def _row(case: _Case, label: str, chars: int, name: str, opener: Opener) -> Row:
    recording = case.recording
    setting = Setting(recording.format, chars, recording.system)
    replayed, found, error = Replayed(), tuple[Found, ...](), ""
    try:
        replayed = replay(
            recording.messages,
            opener(setting),
            case.places,
            format=recording.format,
            asked=case.asked,
        )
        if case.facts:
            last = calls_of_the_model(case.planted, recording.format)[-1]
            found = tuple(recall(case.planted, opener(setting), case.facts, last=last))
    except CompactorError as failure:
        error = f"{failure.code}: {failure}"
    except Exception as failure:  # a compactor of others may fail in any way
        error = f"{type(failure).__name__}: {failure}"[:300]
    return Row(
        recording.name,
        recording.group,
        name,
        label,
        chars,
        recording.chars,
        replayed,
        case.whole,
        found,
        error,
    )
