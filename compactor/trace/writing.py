"""How each thing is written down: what is checked, which events it makes."""

from __future__ import annotations

from collections.abc import Sequence

from compactor.errors import InvalidRequest
from compactor.messages import JsonObject
from compactor.trace.asked import Assumption, NewDecision, NewEvidence, NewHypothesis, Span
from compactor.trace.draft import Draft
from compactor.trace.invalidation import against, replaced, weigh
from compactor.trace.items import EDGES, STATUSES, Edge, Item, Status
from compactor.trace.measures import Predicate

#: What each status may become. Nothing leaves a closed status but by being reopened.
_NEXT: dict[str, frozenset[str]] = {
    "proposed": frozenset(("active", "provisionally_rejected", "rejected", "confirmed")),
    "active": frozenset(("provisionally_rejected", "rejected", "confirmed")),
    "reopened": frozenset(("active", "provisionally_rejected", "rejected", "confirmed")),
    "provisionally_rejected": frozenset(("rejected", "reopened")),
    "rejected": frozenset(("reopened",)),
    "confirmed": frozenset(("reopened",)),
}
_FIRST = ("proposed", "active")
#: What may not rest on evidence alone that nobody but the extractor has seen.
_FIRM = ("confirmed", "rejected")


def write_artifact(draft: Draft, stored: JsonObject) -> Item:
    """An original that the archive holds and has given back: its event. Marks what an older one held up."""
    source, version = stored["source"], stored["source_version"]
    text = source or stored["ref"]
    item = draft.add("artifact", text[: draft.rule.text_chars], status="kept", body=stored)
    before = draft.of_source(source)
    if before and version and draft.item(before[0]).body["source_version"] not in ("", version):
        for older in before:
            replaced(draft, older, item.id)
    draft.sourced(item)
    return item


def write_evidence(
    draft: Draft, asked: NewEvidence, status: str = "noted", about: str = "fact"
) -> Item:
    """A fact, and what follows from it. Raises InvalidRequest for ids or spans that name nothing."""
    draft.known([*asked.supports, *asked.contradicts], "supports")
    for span in asked.rests_on:
        _check_span(draft, span)
    edges = [("supports", id) for id in asked.supports]
    edges += [("contradicts", id) for id in asked.contradicts]
    rests = dict.fromkeys(span.artifact for span in asked.rests_on)
    edges += [("depends_on", id) for id in rests]
    body = {
        "about": about,
        "rests_on": [span.as_json() for span in asked.rests_on],
        "time_range": list(asked.time_range) if asked.time_range else None,
        "source_version": asked.source_version,
        "measurement": asked.measurement.as_json() if asked.measurement else None,
    }
    item = draft.add("evidence", asked.text, status=status, body=body, edges=edges)
    weigh(draft, item, asked.measurement)
    return draft.item(item.id)


def write_hypothesis(draft: Draft, asked: NewHypothesis) -> Item:
    """A claim; it begins as ``proposed`` or ``active`` and becomes more by reasons alone."""
    if asked.status not in _FIRST:
        raise InvalidRequest(
            f"A hypothesis begins as {' or '.join(_FIRST)}; set_status makes it more, with a reason.",
            field="status",
        )
    draft.known(asked.supports, "supports")
    id = draft.next_id("hypothesis")
    body = {
        "assumptions": _assumptions(id, asked.assumptions, 0),
        "invalidation": [
            _condition(f"{id}.i{n}", when) for n, when in enumerate(asked.invalidation, 1)
        ],
    }
    item = draft.add("hypothesis", asked.claim, status=asked.status, body=body)
    for source in asked.supports:
        draft.link(Edge(source, "supports", item.id))
    return draft.item(item.id)


def write_status(
    draft: Draft,
    id: str,
    to: Status,
    reason: str,
    *,
    evidence: Sequence[str] = (),
    assumptions: Sequence[Assumption] = (),
) -> Item:
    """Another status of a hypothesis, with its reason and what it newly takes for granted.

    Raises:
        InvalidRequest: no reason; a step that is not allowed; a closed status without evidence, or a firm
            one on nothing but what the extractor proposed.
    """
    item = draft.item(id)
    if item.kind != "hypothesis":
        raise InvalidRequest(f"{id} is no hypothesis.", field="id")
    _reasoned(reason)
    draft.known(evidence, "evidence")
    if to not in STATUSES or to not in _NEXT[item.status]:
        may = ", ".join(sorted(_NEXT[item.status]))
        raise InvalidRequest(f"{id} is {item.status}; it may become {may}.", field="status")
    if to not in ("active", "reopened") and not evidence:
        raise InvalidRequest(f"{to} needs evidence; name it.", field="evidence")
    if to in _FIRM and not any(_is_firm(draft.item(each)) for each in evidence):
        raise InvalidRequest(
            f"{to} needs evidence that someone noted and that stands; what was only proposed, or needs "
            "revalidation itself, is not enough.",
            field="evidence",
        )
    known = item.body["assumptions"]
    body = {"assumptions": [*known, *_assumptions(id, assumptions, len(known))]}
    marked = item.marked if to in ("active", "reopened") and not evidence else ""
    return draft.change(id, to, reason, evidence, status=to, marked=marked, body=body)


def write_decision(draft: Draft, asked: NewDecision) -> Item:
    """A choice and what it depends on."""
    draft.known(asked.depends_on, "depends_on")
    id = draft.next_id("decision")
    named = [Assumption(text) for text in asked.assumptions]
    edges = [("depends_on", each.partition(".")[0]) for each in asked.depends_on]
    body = {"assumptions": _assumptions(id, named, 0)}
    return draft.add(
        "decision", asked.text, status="made", body=body, edges=list(dict.fromkeys(edges))
    )


def write_sentence(draft: Draft, text: str, depends_on: Sequence[str]) -> Item:
    """A sentence of a summary: a claim that stands as long as its evidence does."""
    if not depends_on:
        raise InvalidRequest("A sentence names the evidence it depends on.", field="depends_on")
    draft.known(depends_on, "depends_on")
    edges = [("depends_on", id) for id in dict.fromkeys(depends_on)]
    item = draft.add("sentence", text, status="claimed", edges=edges)
    fallen = [id for id in depends_on if draft.item(id).marked]
    if fallen:
        why = f"{fallen[0]} needs revalidation"
        return draft.change(item.id, "needs_revalidation", why, fallen, marked=why)
    return item


def write_revalidation(draft: Draft, id: str, reason: str, evidence: Sequence[str]) -> Item:
    """That a marked item was looked at again and stands. Raises InvalidRequest without reason or evidence."""
    item = draft.item(id)
    _reasoned(reason)
    draft.known(evidence, "evidence")
    if not item.marked:
        raise InvalidRequest(f"{id} needs no revalidation.", field="id")
    if not evidence or id in evidence:
        raise InvalidRequest("Name the evidence that it stands on now.", field="evidence")
    return draft.change(id, "revalidated", reason, evidence, marked="")


def write_link(draft: Draft, edge: Edge) -> Item:
    """An edge between items that are there, and what follows where it contradicts."""
    if edge.edge not in EDGES:
        raise InvalidRequest(f"edge must be one of {', '.join(EDGES)}.", field="edge")
    draft.known([edge.source, edge.target], "source")
    draft.link(edge)
    if edge.edge == "contradicts" and draft.item(edge.source).kind == "evidence":
        against(draft, edge.target, edge.source)
    return draft.item(edge.source)


def _check_span(draft: Draft, span: Span) -> None:
    draft.known([span.artifact], "rests_on")
    artifact = draft.item(span.artifact)
    size = artifact.body.get("chars", -1)
    if artifact.kind != "artifact":
        raise InvalidRequest(f"{span.artifact} is no artifact.", field="rests_on")
    if span.start < 0 or span.end != -1 and not span.start <= span.end <= size:
        raise InvalidRequest(
            f"{span.artifact} has {size} characters; the span {span.start} to {span.end} is not in it.",
            field="rests_on",
        )


def _assumptions(id: str, asked: Sequence[Assumption], known: int) -> list[JsonObject]:
    return [{"id": f"{id}.a{n}", **each.as_json()} for n, each in enumerate(asked, known + 1)]


def _condition(id: str, when: Predicate | str) -> JsonObject:
    if isinstance(when, str):
        return {"id": id, "text": when, "when": None}
    return {"id": id, "text": str(when), "when": when.as_json()}


def _is_firm(item: Item) -> bool:
    return item.kind == "evidence" and item.status == "noted" and not item.marked


def _reasoned(reason: str) -> None:
    if not reason.strip():
        raise InvalidRequest("Say why.", field="reason")
