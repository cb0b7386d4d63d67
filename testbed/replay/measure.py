"""One history replayed through one compactor: what each request was, and what could still be known."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from compactor import validate
from compactor.cost import history_cost, serialise
from compactor.errors import InvalidRequest
from compactor.messages import Json
from testbed.replay.compactors import Compactor
from testbed.replay.demand import Demand
from testbed.replay.facts import Fact
from testbed.replay.prices import Sent, Wire


@dataclass(frozen=True, slots=True)
class Wanted:
    """One identifier at the request before it was used, and whether it could be had."""

    demand: Demand
    in_view: bool
    one_look_up: bool


@dataclass(frozen=True, slots=True)
class Found:
    """One planted fact at the last request. ``stale_shown``: the value that it replaced is in view."""

    fact: Fact
    in_view: bool
    one_look_up: bool
    stale_shown: bool


@dataclass(slots=True)
class Replayed:
    """``cost_chars`` are those that the budget counts; ``cpu_ms`` has one time for each message."""

    sent: list[Sent] = field(default_factory=list)
    cost_chars: list[int] = field(default_factory=list)
    invalid: int = 0
    wanted: list[Wanted] = field(default_factory=list)
    look_ups: int = 0
    cpu_ms: list[float] = field(default_factory=list)


class _Request:
    """The text of one request, and what its refs bring back, each looked up once and only if it must be."""

    def __init__(self, text: str, compactor: Compactor) -> None:
        self.text = text
        self._compactor = compactor
        self._refs: list[str] | None = None
        self._behind: dict[str, str] = {}

    def holding(self, value: str) -> str:
        """The newest ref in view behind which a value stands; empty where there is none."""
        if self._refs is None:
            self._refs = list(dict.fromkeys(self._compactor.refs(self.text)))[::-1]
        for ref in self._refs:
            if ref not in self._behind:
                self._behind[ref] = self._compactor.expand(ref)
            if value in self._behind[ref]:
                return ref
        return ""


def replay(
    messages: Sequence[Json],
    compactor: Compactor,
    places: Sequence[int],
    *,
    format: str,
    asked: Sequence[Demand] = (),
) -> Replayed:
    """Feed a history message by message; at each of ``places`` look at the request made there."""
    made, wire = Replayed(), Wire()
    judge = Judge.of(messages, format)
    needs: dict[int, list[Demand]] = {place: [] for place in places}
    for demand in asked:
        needs[demand.place].append(demand)
    for place, message in enumerate(messages):
        spent = 0.0
        if place in needs:
            started = time.process_time()
            request = compactor.request()
            spent = time.process_time() - started
            text, sent = wire.send(request)
            made.sent.append(sent)
            made.cost_chars.append(history_cost(request))
            made.invalid += judge.refuses(request)
            _look(made, needs[place], _Request(text, compactor))
        started = time.process_time()
        compactor.append(message)
        made.cpu_ms.append((spent + time.process_time() - started) * 1000)
    return made


def _look(made: Replayed, needs: Sequence[Demand], request: _Request) -> None:
    used: set[str] = set()
    for demand in needs:
        in_view = demand.identifier in request.text
        ref = "" if in_view else request.holding(demand.identifier)
        used |= {ref} - {""}
        made.wanted.append(Wanted(demand, in_view, in_view or bool(ref)))
    made.look_ups += len(used)


def recall(
    messages: Sequence[Json], compactor: Compactor, facts: Sequence[Fact], *, last: int
) -> list[Found]:
    """What of the planted facts the request at ``last``, made after all messages before it, still has."""
    for message in messages[:last]:
        compactor.append(message)
    request = _Request(serialise(compactor.request()), compactor)
    found = []
    for fact in facts:
        in_view = fact.value in request.text
        reach = in_view or bool(request.holding(fact.value))
        stale = bool(fact.stale) and fact.stale in request.text
        found.append(Found(fact, in_view, reach, stale))
    return found


@dataclass(frozen=True, slots=True)
class Judge:
    """Tells whether a provider would refuse a request for something that the recording did not have itself.

    The text protocol has no rules of its own.
    """

    format: str
    excused: frozenset[tuple[str, str]]

    @classmethod
    def of(cls, messages: Sequence[Json], format: str) -> Judge:
        """The judge of one recording; what its own messages break as they are is excused in them."""
        return cls(format, frozenset(_broken(messages, format)))

    def refuses(self, request: Sequence[Json]) -> bool:
        """Whether a rule is broken; a request that cannot be read breaks one."""
        try:
            return not self.excused.issuperset(_broken(request, self.format))
        except InvalidRequest:
            return True


def _broken(messages: Sequence[Json], format: str) -> list[tuple[str, str]]:
    found = [] if format == "text" else validate(messages, format)
    return [(f.rule, serialise(messages[f.index])) for f in found if f.severity == "error"]
