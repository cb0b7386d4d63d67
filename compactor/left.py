"""What has left the context, and the entries that tell of it: refs to all of it, the best of its facts.

Each batch that evicts closes a span: one ref behind which every message stands that left in it. The oldest
spans are joined, so that their number is bounded and one look-up still reaches everything. Each batch adds an
entry behind those before, which stay as they are to the byte, so that the cached prefix reaches beyond them;
all are told anew in one entry when there is no room for another, or what they quote is no longer true.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice, takewhile

from compactor.archive import Archive
from compactor.books import Books
from compactor.facts import Facts, listing, texts_of
from compactor.kit import NOTE_OVERHEAD, Kit
from compactor.messages import INDEX, Block, Message
from compactor.report import Change

HEAD = "[earlier messages are in the archive; a ref gives back the original, or the part asked for]"
MOST_SPANS = 6
#: Told anew, they take this share of their room, so that others can follow; where there is so much at all.
_FRESH_SHARE = 0.6
_LEAST_FOR_MORE = 4_000
#: Shorter values stand in other words too.
_LEAST_STALE = 6


@dataclass(frozen=True, slots=True)
class Span:
    """``count`` entries between numbers ``first`` and ``last``, the originals of all behind one ref."""

    first: int
    last: int
    count: int
    ref: str

    @property
    def line(self) -> str:
        """As it stands in the context."""
        return f"messages {self.first}-{self.last} ({self.count}): ref={self.ref}"


def left_after(
    left: tuple[Span, ...], changes: Sequence[Change], books: Books, archive: Archive
) -> tuple[Span, ...]:
    """The spans with one for what was evicted now. ``books`` hold the originals already.

    Linear in the changes: a joined span holds the refs of the two that it was made of.
    """
    gone = sorted({c.seq for c in changes if _left_whole(c)})
    if not gone:
        return left
    ref = books.span([books.originals[seq] for seq in gone], archive)
    spans = [*left, Span(gone[0], gone[-1], len(gone), ref)]
    while len(spans) > MOST_SPANS:
        one, two, *rest = spans
        ref = books.span([one.ref, two.ref], archive)
        first, last = min(one.first, two.first), max(one.last, two.last)
        spans = [Span(first, last, one.count + two.count, ref), *rest]
    return tuple(spans)


def _left_whole(change: Change) -> bool:
    """Whether nothing of an entry stands in the context any more: it went, or a summary covers it."""
    evicted = change.step == "evict" and change.why == "budget"
    return change.seq >= 0 and (evicted or change.step == "summarise" and not change.after)


def with_index(
    history: Sequence[Message],
    told: Sequence[Message],
    left: tuple[Span, ...],
    books: Books,
    kit: Kit,
    *,
    room: int,
    more: bool,
) -> list[Message]:
    """The history with entries, behind the task, for all that has left; ``room`` is what all may cost.

    ``told`` are the entries before, ``more`` says whether anything has left since. Without room for the
    refs the history stays without.
    """
    bare = [message for message in history if not message.is_index]
    most = min(kit.index_chars(room), room - kit.meter.total(bare))
    made = list(told)
    spent = sum(map(kit.meter.one, made))
    if made and more:
        text = _text([*made, *bare], left[-1:], kit.facts, books, most - spent - NOTE_OVERHEAD)
        made = [*made, _entry(text)] if text else []
    if spent > most or not made or len(made) > MOST_SPANS or _is_stale(made, kit.facts):
        room_for_one = int(_FRESH_SHARE * most) if most > _LEAST_FOR_MORE else most
        text = _text(bare, left, kit.facts, books, room_for_one - NOTE_OVERHEAD)
        made = [_entry(text)] if text else []
    at = _behind_task(bare)
    return [*bare[:at], *made, *bare[at:]]


def told_in(history: Sequence[Message]) -> list[Message]:
    """The entries of a history that tell of what has left: they stand together, near its start."""
    at = next((at for at, message in enumerate(history) if message.is_index), len(history))
    return list(takewhile(lambda message: message.is_index, islice(history, at, None)))


def _entry(text: str) -> Message:
    return Message("user", (Block("text", text=text, name=INDEX),))


def _is_stale(told: Sequence[Message], facts: Facts) -> bool:
    """Whether an entry quotes a value that has been replaced since."""
    said = "\n".join(texts_of(told))
    return any(value in said for value in facts.stale if len(value) >= _LEAST_STALE)


def _behind_task(history: Sequence[Message]) -> int:
    """Behind the first user message if nothing of the assistant's stands before it, else in front."""
    for at, message in enumerate(history):
        if message.role == "user" and message.seq >= 0 and not message.results:
            return at + 1
        if message.role == "assistant":
            break
    return next((i for i, m in enumerate(history) if m.role != "system"), 0)


def _text(
    history: Sequence[Message], left: tuple[Span, ...], facts: Facts, books: Books, most: int
) -> str:
    head = "\n".join((HEAD, *(span.line for span in left)))
    if len(head) > most:
        return ""
    listed = listing(facts, books.originals.get, texts_of(history), most - len(head) - 2)
    return f"{head}\n{listed}" if listed else head
