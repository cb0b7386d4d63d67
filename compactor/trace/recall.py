"""What matters for a question, within a budget: what must be shown, candidates, a choice, a check."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from compactor.errors import CompactorError, InvalidRequest, MandatoryDoesNotFit
from compactor.messages import JsonObject
from compactor.trace.candidates import Candidate, RecallKind, candidates, class_of, too_alike
from compactor.trace.graph import Trace
from compactor.trace.items import Item
from compactor.trace.lexical import terms_of
from compactor.trace.mandatory import mandatory
from compactor.trace.rendering import full_line, short_line
from compactor.trace.rule import TraceRule

#: Raises a CompactorError where an artifact's original cannot be had back as it was.
Verify = Callable[[Item], object]
#: What an item costs for which a candidate must be worth twice as much as for one that costs nothing.
_DEAR_CHARS = 1_000
_SHORTEST = 80


@dataclass(frozen=True, slots=True)
class Recalled:
    """One item: its line, and why it is there. ``damaged`` names what it rests on that is not as it was."""

    id: str
    text: str
    reason: str
    mandatory: bool
    damaged: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Recall:
    """``chars`` are those of ``text``, line ends counted; ``left_out`` candidates found no room."""

    query: str
    items: tuple[Recalled, ...]
    budget_chars: int
    left_out: int
    version: int = 0

    @property
    def text(self) -> str:
        """As a model reads it, a line for each item."""
        return "\n".join(item.text for item in self.items)

    @property
    def chars(self) -> int:
        """Length of the text."""
        return len(self.text)

    def as_json(self) -> JsonObject:
        """Plain JSON."""
        return {
            "version": self.version,
            "query": self.query,
            "budget_chars": self.budget_chars,
            "chars": self.chars,
            "left_out": self.left_out,
            "text": self.text,
            "items": [
                {
                    "id": item.id,
                    "text": item.text,
                    "reason": item.reason,
                    "mandatory": item.mandatory,
                    "damaged": list(item.damaged),
                }
                for item in self.items
            ],
        }


def recall(
    trace: Trace,
    query: str,
    budget_chars: int,
    *,
    rule: TraceRule,
    verify: Verify,
    kind: RecallKind | None = None,
    retriever: str = "",
) -> Recall:
    """What matters for ``query`` in at most ``budget_chars`` characters.

    Raises:
        InvalidRequest: a budget under 1, or a retriever that is not installed.
        MandatoryDoesNotFit: what must be shown does not fit, however much it is shortened.
    """
    if budget_chars < 1:
        raise InvalidRequest("budget_chars must be at least 1.", field="budget_chars")
    must = mandatory(trace)
    lines = _fitted(trace, must, budget_chars)
    items = [Recalled(id, lines[id], must[id], mandatory=True) for id in must]
    found = candidates(trace, query, rule, retriever=retriever)
    if kind is not None:
        found = [each for each in found if class_of(trace.item(each.id)) == kind]
    found = [each for each in found if each.id not in must]
    room = budget_chars - sum(len(line) + 1 for line in lines.values())
    chosen = _chosen(trace, found, room, rule)
    items += chosen
    checked = tuple(_checked(trace, item, verify) for item in items)
    return Recall(query, checked, budget_chars, left_out=len(found) - len(chosen))


def _fitted(trace: Trace, must: dict[str, str], budget_chars: int) -> dict[str, str]:
    """Their lines: whole, or each cut to an equal share of what there is, its status and ref whole."""
    lines = {id: full_line(trace, trace.item(id)) for id in must}
    most = max(map(len, lines.values()), default=0)
    while sum(map(len, lines.values())) + len(lines) > budget_chars + 1:
        if most <= _SHORTEST:
            raise MandatoryDoesNotFit(
                f"Goal, constraints, open hypotheses, unfinished actions and their facts need "
                f"{sum(map(len, lines.values())) + len(lines)} characters, the budget is {budget_chars}: "
                "shrink (lift or close what is settled), narrow the task, or defer the decision.",
                field="budget_chars",
            )
        most = max(_SHORTEST, most * 3 // 4)
        lines = {
            id: line if len(line) <= most else short_line(trace.item(id), most)
            for id, line in lines.items()
        }
    return lines


def _chosen(trace: Trace, found: list[Candidate], room: int, rule: TraceRule) -> list[Recalled]:
    """The best for their price that fit, none that only repeats another; each class within its share."""
    whole, spent = room, dict[str, int]()
    lines = {each.id: full_line(trace, trace.item(each.id)) for each in found}

    def value(each: Candidate) -> float:
        return each.worth / (1 + len(lines[each.id]) / _DEAR_CHARS)

    chosen: list[Recalled] = []
    words: list[frozenset[str]] = []
    for each in sorted(found, key=value, reverse=True):
        line, item = lines[each.id], trace.item(each.id)
        kind, own = class_of(item), frozenset(terms_of(item.text))
        share = int(rule.shares.get(kind, 1.0) * whole)
        fits = len(line) + 1 <= min(room, share - spent.get(kind, 0))
        if not each.counter and too_alike(own, words):
            continue
        if not fits and each.counter and room > _SHORTEST:
            line = short_line(item, min(room - 1, max(_SHORTEST, room // 2)))
            fits = len(line) + 1 <= room
        if not fits:
            continue
        room -= len(line) + 1
        spent[kind] = spent.get(kind, 0) + len(line) + 1
        words.append(own)
        chosen.append(Recalled(each.id, line, each.reason, mandatory=False))
    return chosen


def _checked(trace: Trace, item: Recalled, verify: Verify) -> Recalled:
    """With the artifacts that an item rests on and that are not as they were."""
    known = trace.item(item.id)
    rests = [span["artifact"] for span in known.body.get("rests_on", ())]
    rests += [item.id] if known.kind == "artifact" else []
    damaged = []
    for id in dict.fromkeys(rests):
        try:
            verify(trace.item(id))
        except CompactorError as error:
            damaged.append(f"{id}: {error.message}")
    return replace(item, damaged=tuple(damaged)) if damaged else item
