"""What new evidence does to what is known: hypotheses open again, direct dependants are marked.

One step only. What rests on a marked item stays as it is: facts that are true stay true, and no cycle of
edges makes this run away.
"""

from __future__ import annotations

from collections.abc import Iterator

from compactor.trace.draft import Draft
from compactor.trace.items import OPEN, REJECTED, Item
from compactor.trace.measures import Measurement, Predicate, measure_key, verdict

#: What stands on something else, and must be looked at again when that falls.
_DEPENDANTS = frozenset(("decision", "hypothesis", "sentence", "evidence"))


def weigh(draft: Draft, evidence: Item, measured: Measurement | None) -> None:
    """Write what follows from a piece of evidence that was just written."""
    for edge in draft.out(evidence.id):
        if edge.edge == "contradicts":
            against(draft, edge.target, evidence.id)
    if measured is None:
        return
    for id in sorted(draft.trace.watched.get(measure_key(measured.measure), ())):
        for why in _broken(draft.item(id), measured):
            reopen(draft, id, why=why, by=evidence.id)
            break


def replaced(draft: Draft, artifact: str, by: str) -> None:
    """Mark what rests on an artifact whose source has another version now."""
    for edge in draft.into(artifact):
        if draft.item(edge.source).kind == "evidence":
            doubt(draft, edge.source, why=f"{artifact} was replaced by {by}", by=by)


def reopen(draft: Draft, id: str, *, why: str, by: str) -> None:
    """Open a hypothesis again, and mark it with its direct dependants."""
    item = draft.item(id)
    if item.kind == "hypothesis" and item.status not in (*OPEN, "proposed"):
        draft.change(id, "reopened", why, [by], status="reopened", marked=f"{why} ({by})")
    elif not item.marked:
        draft.change(id, "needs_revalidation", why, [by], marked=f"{why} ({by})")
    _mark_dependants(draft, id, by)


def doubt(draft: Draft, id: str, *, why: str, by: str) -> None:
    """Mark an item with its direct dependants; its status stays."""
    if not draft.item(id).marked:
        draft.change(id, "needs_revalidation", why, [by], marked=f"{why} ({by})")
    _mark_dependants(draft, id, by)


def against(draft: Draft, target: str, by: str) -> None:
    """Write what follows from evidence ``by`` against an item or an assumption."""
    owner, _, part = target.partition(".")
    item = draft.item(owner)
    if part:
        if item.kind == "hypothesis":
            reopen(draft, owner, why=f"{target} fell", by=by)
        else:
            doubt(draft, owner, why=f"{target} fell", by=by)
    elif item.kind == "hypothesis":
        if item.status not in REJECTED:  # what is rejected is only rejected once more
            reopen(draft, owner, why=f"{owner} is contradicted", by=by)
    elif item.kind in _DEPENDANTS:
        doubt(draft, owner, why=f"{owner} is contradicted", by=by)


def _mark_dependants(draft: Draft, id: str, by: str) -> None:
    for other in dict.fromkeys(_dependants(draft, id)):
        if other != id and not draft.item(other).marked:
            draft.change(
                other,
                "needs_revalidation",
                f"{id} changed",
                [id, by],
                marked=f"{id} changed ({by})",
            )


def _dependants(draft: Draft, id: str) -> Iterator[str]:
    """What depends on an item, and the hypotheses that it supports."""
    for edge in draft.into(id):
        if edge.edge == "depends_on" and draft.item(edge.source).kind in _DEPENDANTS:
            yield edge.source
    if draft.item(id).kind == "evidence":
        for edge in draft.out(id):
            if edge.edge == "supports":
                yield edge.target


def _broken(item: Item, measured: Measurement) -> Iterator[str]:
    """Assumptions of a hypothesis that a measurement breaks, and its conditions that are met."""
    for assumption in item.body.get("assumptions", ()):
        holds = assumption["holds"]
        if holds and verdict(Predicate(**holds), measured) is False:
            yield f"{assumption['id']} fell: {assumption['text']}"
    for condition in item.body.get("invalidation", ()):
        when = condition["when"]
        if when and verdict(Predicate(**when), measured) is True:
            yield f"{condition['id']} is met: {condition['text']}"
