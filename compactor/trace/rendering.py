"""Items as a model reads them. How sure something is stands before it, always."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from compactor.messages import JsonObject
from compactor.trace.graph import Trace
from compactor.trace.items import Item

TRACE_HEAD = "<trace>"
TRACE_END = "</trace>"
#: Of what one rejected hypothesis' reminder names.
_EVIDENCE = 3
_REMINDERS = 20
#: Newest marks that are looked at.
_MARKED = 100


def full_line(trace: Trace, item: Item) -> str:
    """All of an item on one line, with what it rests on."""
    said = f"{_head(item)} {_one_line(item.text)}"
    return said + "".join(f"; {part}" for part in _parts(trace, item))


def short_line(item: Item, most: int) -> str:
    """An item in at most ``most`` characters, its status whole; where it was cut its ref says where the
    rest is.
    """
    head, text = _head(item), _one_line(item.text)
    if len(head) + 1 + len(text) <= most:
        return f"{head} {text}"
    tail = f"… ({item.trace_ref})"
    return f"{head} {text[: max(0, most - len(head) - 1 - len(tail))]}{tail}"


def reminder(trace: Trace, item: Item, most: int) -> str:
    """What stays in view of a rejected hypothesis: status, evidence, what would open it again, ref."""
    by = next((c.by for c in reversed(trace.changes(item.id)) if c.what == item.status), ())
    parts = [f"by {', '.join(by[:_EVIDENCE])}"] if by else []
    reopens = [*_opens(item)]
    if reopens:
        parts.append(f"reopens if {reopens[0]}")
    parts.append(f"ref {item.trace_ref}")
    said = f"({'; '.join(parts)})"
    room = most - len(said) - 1
    if room < 40:
        said, room = f"({item.trace_ref})", most - len(item.trace_ref) - 3
    head, text = _head(item), _one_line(item.text)
    whole = f"{head} {text}"
    return f"{whole if len(whole) <= room else whole[: max(len(head), room - 1)] + '…'} {said}"


def anchor_text(trace: Trace, *, most: int, line: int) -> str:
    """What the working memory carries: goal, constraints, open hypotheses, what needs revalidation, and a
    line for each rejected one; at most ``most`` characters. What found no room is counted.
    """
    room, kept = most - len(TRACE_HEAD) - len(TRACE_END) - 2 - 40, list[str]()
    for text in _lines(trace, line, most):
        if len(text) + 1 > room:
            sets = (trace.constraints, trace.unfinished, trace.open, trace.rejected)
            more = bool(trace.goal) + sum(map(len, sets)) - len(kept)
            kept.append(f"(at least {max(1, more)} more: recall)")
            break
        room -= len(text) + 1
        kept.append(text)
    return "\n".join((TRACE_HEAD, *kept, TRACE_END)) if kept and room >= 0 else ""


def _lines(trace: Trace, line: int, most: int) -> Iterator[str]:
    shown = dict.fromkeys(([trace.goal] if trace.goal else []) + list(trace.constraints))
    for id in shown:  # whole while there is room: a rule that was cut is another rule
        yield short_line(trace.item(id), max(line, most // 2))
    for id in (*trace.unfinished, *trace.open):
        shown[id] = None
        yield short_line(trace.item(id), line)
    for id in islice(reversed(trace.marked), _MARKED):
        item = trace.item(id)
        if id not in shown and item.kind in ("decision", "sentence", "hypothesis"):
            shown[id] = None
            yield short_line(item, line)
    for id in islice(reversed(trace.rejected), _REMINDERS):
        if id not in shown:
            yield reminder(trace, trace.item(id), line)


def _head(item: Item) -> str:
    status = item.status.replace("_", " ")
    doubt = ", needs revalidation" if item.marked else ""
    return f"{item.id} [{item.kind}: {status}{doubt}]"


def _parts(trace: Trace, item: Item) -> Iterator[str]:
    if item.marked:
        yield f"why: {_one_line(item.marked)}"
    for name in ("supports", "contradicts", "depends_on"):
        ids = [edge.target for edge in trace.out(item.id, newest=8) if edge.edge == name]
        if ids:
            yield f"{name.replace('_', ' ')} {', '.join(ids)}"
    for span in item.body.get("rests_on", ())[:4]:
        yield f"stands in {span['artifact']} {span['start']}-{span['end']}"
    if item.body.get("time_range"):
        yield " to ".join(item.body["time_range"])
    for assumption in item.body.get("assumptions", ()):
        yield f"assumes {assumption['id']} {_one_line(assumption['text'])}"
    for condition in item.body.get("invalidation", ()):
        yield f"reopens if {_one_line(condition['text'])}"


def _opens(item: Item) -> Iterator[str]:
    for condition in item.body.get("invalidation", ()):
        yield _one_line(condition["text"])
    for assumption in item.body.get("assumptions", ()):
        yield f"not {_said(assumption)}"


def _said(assumption: JsonObject) -> str:
    holds = assumption["holds"]
    if not holds:
        return _one_line(assumption["text"])
    unit = f" {holds['unit']}" if holds["unit"] else ""
    said = (holds["subject"], holds["measure"], holds["comparator"])
    return f"{' '.join(said)} {holds['value']:g}{unit}"


def _one_line(text: str) -> str:
    return " ".join(text.split())
