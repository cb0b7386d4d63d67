"""A session told turn by turn: what came in, what was taken out again, and what stayed as it was."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from compactor.cost import cost
from compactor.log import Entry
from compactor.messages import Message
from compactor.session import Session

Standing = tuple[tuple[Message, int], ...]


@dataclass(frozen=True, slots=True)
class Turn:
    """What one turn did to the context. Sizes are characters; a turn begins where the assistant speaks."""

    first: int
    """Number of its first entry in the session."""
    last: int
    """Number of its last one."""
    added: int
    """Of its messages, as they came."""
    truncated: int
    """Of these, what was cut off as they came in."""
    compressed: int
    """Taken out of messages that stay."""
    evicted: int
    """Of messages that left."""
    reused: int
    """What the context still begins with, unchanged since the end of the turn before."""
    cost_chars: int
    """Of the whole context behind it."""
    budget_chars: int
    """The budget then."""
    kinds: tuple[str, ...]
    """What it holds, in order: `user`, `assistant`, `tool`, or the kind of an entry that is no message."""


@dataclass(slots=True)
class _Sums:
    """A turn while it goes on; ``start`` is the context before it."""

    start: Standing
    entries: list[int] = field(default_factory=list)
    kinds: list[str] = field(default_factory=list)
    added: int = 0
    truncated: int = 0
    compressed: int = 0
    evicted: int = 0


def turns_of(session: Session, log: Sequence[Entry]) -> list[Turn]:
    """Replay a log into an empty session and tell what each turn did. Linear in log and budget."""
    told, turn = list[Turn](), _Sums(())
    before: Standing = ()
    for entry in log:
        kind = _kind_of(entry)
        if kind == "assistant" and turn.entries and turn.kinds[-1] != "assistant":
            told.append(_ended(turn, before, session))
            turn = _Sums(before)
        session.replay([entry])
        after = session.standing()
        _count(turn, entry, before, after)
        turn.entries.append(entry.seq)
        turn.kinds.append(kind)
        before = after
    return [*told, _ended(turn, before, session)] if turn.entries else told


def _kind_of(entry: Entry) -> str:
    if entry.kind != "message":
        return entry.kind
    raw = entry.body["raw"]
    kind = raw.get("role") or raw.get("type", "") if isinstance(raw, dict) else ""
    return {"function_call": "assistant", "reasoning": "assistant"}.get(
        kind, str(kind) or "message"
    )


def _count(turn: _Sums, entry: Entry, before: Standing, after: Standing) -> None:
    old, new = _sizes(before), _sizes(after)
    if entry.kind == "message":
        came = cost(entry.body["raw"])
        turn.added += came
        own = next((m for m, _ in after if entry.seq in {seq for seq, _ in m.members}), None)
        if own is not None and own.seq == entry.seq and own.dirty:
            turn.truncated += max(0, came - new[entry.seq])
    for seq, size in old.items():
        if seq not in new:
            turn.evicted += size
        elif new[seq] < size:
            turn.compressed += size - new[seq]


def _sizes(standing: Standing) -> dict[int, int]:
    """By number of a message; what the compactor added itself is none of the session's."""
    return {message.seq: size for message, size in standing if message.seq >= 0}


def _ended(turn: _Sums, after: Standing, session: Session) -> Turn:
    reused = 0
    for (old, size), (new, _) in zip(turn.start, after, strict=False):
        if old != new:
            break
        reused += size
    return Turn(
        first=turn.entries[0],
        last=turn.entries[-1],
        added=turn.added,
        truncated=turn.truncated,
        compressed=turn.compressed,
        evicted=turn.evicted,
        reused=reused,
        cost_chars=sum(size for _, size in after),
        budget_chars=session.budget_chars,
        kinds=tuple(turn.kinds),
    )
