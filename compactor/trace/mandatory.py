"""What every recall shows: goal, constraints, open hypotheses, unfinished risky actions, and their facts."""

from __future__ import annotations

from collections.abc import Iterator

from compactor.trace.graph import Trace
from compactor.trace.items import Item

#: Newest facts of one hypothesis or action that are shown; how many more there are is said.
FACTS = 8
#: Newest links that are followed to find them.
_LINKS = 64


def mandatory(trace: Trace) -> dict[str, str]:
    """Ids with the reason why each must be shown, in the order in which they are."""
    found: dict[str, str] = {}
    if trace.goal:
        found[trace.goal] = "the goal"
    for id in trace.constraints:
        found[id] = "a constraint that holds"
    for id in trace.open:
        found[id] = "a hypothesis that is looked into"
    for id in trace.unfinished:
        found[id] = "a risky action that is not finished"
    for id in (*trace.open, *trace.unfinished):
        facts = list(dict.fromkeys(_facts(trace, id)))
        more = f", the newest of {trace.degree(id)} links" if len(facts) > FACTS else ""
        for fact in facts[-FACTS:]:
            found.setdefault(fact, f"a fact that {id} depends on{more}")
    return found


def _facts(trace: Trace, id: str) -> Iterator[str]:
    for edge in trace.out(id, newest=_LINKS):
        if edge.edge == "depends_on" and _is_fact(trace.item(edge.target)):
            yield edge.target
    for edge in trace.into(id, newest=_LINKS):
        if edge.edge == "supports" and _is_fact(trace.item(edge.source)):
            yield edge.source


def _is_fact(item: Item) -> bool:
    return item.kind == "evidence"
