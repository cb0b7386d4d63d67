"""What a recall may choose from: found by id, by words, by neighbourhood, as counter-evidence, as recent."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.metadata import entry_points
from itertools import islice
from typing import Literal

from compactor.errors import InvalidRequest
from compactor.trace.graph import Trace
from compactor.trace.items import OPEN, REJECTED, Item
from compactor.trace.rule import TraceRule

RecallKind = Literal["error", "decision", "state", "knowledge"]
#: Another package adds a retriever here: a function of query and trace that gives ids, best first. It is
#: asked only where ``recall`` names it.
GROUP = "pagefold.retrievers"
Retriever = Callable[[str, Trace], Sequence[str]]
_ID = re.compile(r"\b[gcxoehdsk]\d+\b")
_HITS, _NEIGHBOURS, _RECENT, _COUNTER = 24, 6, 6, 8
_ALIKE = 0.8


@dataclass(frozen=True, slots=True)
class Candidate:
    """An item with what speaks for showing it: ``worth`` grows with relevance, weight and risk."""

    id: str
    worth: float
    reason: str
    counter: bool = False


def class_of(item: Item) -> RecallKind:
    """What one asks for it as."""
    if item.body.get("about") == "error" or item.kind == "action" and item.status == "failed":
        return "error"
    if item.kind in ("decision", "hypothesis"):
        return "decision"
    if item.kind in ("goal", "constraint", "action", "child"):
        return "state"
    return "knowledge"


def candidates(
    trace: Trace, query: str, rule: TraceRule, *, retriever: str = ""
) -> list[Candidate]:
    """The best first. Counter-evidence against what is found or open is always among them.

    The work is bounded by the rule, not by the session's length.
    """
    found: dict[str, Candidate] = {}
    for id in dict.fromkeys(_ID.findall(query)):
        if id in trace:
            _note(found, Candidate(id, 2.0, "named in the query"))
    hits = trace.index.search(query, most=_HITS, postings=rule.most_postings)
    best = hits[0][1] if hits else 1.0
    for id, score in hits:
        _note(found, Candidate(id, score / best, "its words are those of the query"))
    for at, id in enumerate(_retrieved(retriever, query, trace)):
        if id in trace:
            _note(found, Candidate(id, 1 / (at + 1), f"found by {retriever}"))
    roots = [*found, *islice(reversed(trace.open), _HITS)]
    for id in roots:
        near = [e.target for e in trace.out(id, newest=_NEIGHBOURS)]
        near += [e.source for e in trace.into(id, newest=_NEIGHBOURS)]
        for other in (each.partition(".")[0] for each in near):
            _note(found, Candidate(other, 0.3, f"linked with {id}"))
    for id in _newest(trace):
        _note(found, Candidate(id, 0.1, "recent"))
    for id, of in _counter(trace, list(dict.fromkeys([*found, *trace.open]))):
        _note(found, Candidate(id, 0.8, f"counter-evidence against {of}", counter=True))
    for id in islice(reversed(trace.rejected), _COUNTER):
        _note(found, Candidate(id, 0.1, "rejected, with what would open it again"))
    weighed = [_weighed(trace, each) for each in found.values()]
    counter = [each for each in weighed if each.counter]
    others = sorted((c for c in weighed if not c.counter), key=lambda c: -c.worth)
    kept = [*counter, *others[: rule.most_candidates]]
    return sorted(kept, key=lambda c: -c.worth)


def too_alike(words: frozenset[str], chosen: Iterable[frozenset[str]]) -> bool:
    """Whether a text says next to nothing that one of the chosen does not."""
    return any(len(words & other) >= _ALIKE * len(words | other) for other in chosen)


def _note(found: dict[str, Candidate], new: Candidate) -> None:
    known = found.get(new.id)
    if known is None:
        found[new.id] = new
        return
    reasons = known.reason if new.reason in known.reason else f"{known.reason}; {new.reason}"
    worth, counter = max(known.worth, new.worth), known.counter or new.counter
    found[new.id] = replace(known, worth=worth, reason=reasons, counter=counter)


def _weighed(trace: Trace, candidate: Candidate) -> Candidate:
    item = trace.item(candidate.id)
    weight = min(trace.degree(item.id), 10) / 20
    risk = 0.3 * bool(item.marked) + 0.2 * (item.status in REJECTED) + 0.2 * (item.status in OPEN)
    if item.kind == "artifact":
        weight -= 0.3  # what rests on it says more
    return replace(candidate, worth=candidate.worth + weight + risk)


def _newest(trace: Trace) -> Iterator[str]:
    near = trace.items("evidence", "decision", "hypothesis", "sentence", newest=_RECENT)
    yield from (item.id for item in sorted(near, key=lambda item: -item.seq)[:_RECENT])


def _counter(trace: Trace, ids: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Newest evidence against some items or their assumptions."""
    for id in ids:
        item = trace.item(id)
        parts = [part["id"] for part in item.body.get("assumptions", ())]
        for target in (id, *parts):
            for edge in trace.into(target, newest=_COUNTER):
                if edge.edge == "contradicts":
                    yield edge.source, id
        for change in trace.changes(id)[-_COUNTER:]:
            if change.what in ("reopened", "needs_revalidation"):
                for by in change.by:
                    if by in trace and trace.item(by).kind == "evidence":
                        yield by, id


def _retrieved(name: str, query: str, trace: Trace) -> Sequence[str]:
    return _loaded(name)(query, trace) if name else ()


@cache
def _loaded(name: str) -> Retriever:
    found = entry_points(group=GROUP, name=name)
    if not found:
        raise InvalidRequest(f"No retriever {name!r} is installed.", field="retriever")
    made: Retriever = next(iter(found)).load()
    return made
