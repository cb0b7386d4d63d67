"""What has left the context, and the one entry that tells of it: refs to all of it, the best of its facts.

Each batch that evicts closes a span: one ref behind which every message stands that left in it. The oldest
spans are joined, so that their number is bounded and one look-up still reaches everything.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from compactor.archive import Archive
from compactor.books import Books
from compactor.facts import Facts, listing, texts_of
from compactor.kit import NOTE_OVERHEAD, Kit
from compactor.messages import INDEX, Block, Message
from compactor.report import Change

HEAD = "[earlier messages are in the archive; a ref gives back the original, or the part asked for]"
MOST_SPANS = 6


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
    gone = sorted(
        {c.seq for c in changes if c.step == "evict" and c.why == "budget" and c.seq >= 0}
    )
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


def with_index(
    history: Sequence[Message], left: tuple[Span, ...], books: Books, kit: Kit, room: int
) -> list[Message]:
    """The history with one entry, behind the task, for all that has left; ``room`` is what it may cost.

    It takes the place of the one before. Without room for the spans the history stays without.
    """
    bare = [message for message in history if not message.is_index]
    most = min(kit.index_chars(room), room - kit.meter.total(bare))
    text = _text(bare, left, kit.facts, books, most - NOTE_OVERHEAD) if left else ""
    if not text:
        return bare
    at = next(
        (i + 1 for i, m in enumerate(bare) if m.role == "user" and m.seq >= 0 and not m.results), 0
    )
    if at > 1 and any(m.role == "assistant" for m in bare[:at]):
        at = next((i for i, m in enumerate(bare) if m.role != "system"), 0)
    index = Message("user", (Block("text", text=text, name=INDEX),))
    return [*bare[:at], index, *bare[at:]]


def _text(
    history: Sequence[Message], left: tuple[Span, ...], facts: Facts, books: Books, most: int
) -> str:
    head = "\n".join((HEAD, *(span.line for span in left)))
    if len(head) > most:
        return ""
    listed = listing(facts, books.originals.get, texts_of(history), most - len(head) - 2)
    return f"{head}\n{listed}" if listed else head
