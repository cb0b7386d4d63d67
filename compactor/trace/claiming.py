"""Sentences of new summaries as claims: each depends on the evidence that it quotes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from compactor.messages import SUMMARISED, SUMMARY, Message
from compactor.trace.draft import Draft
from compactor.trace.items import Item
from compactor.trace.writing import write_sentence

#: Newest evidence that a summary may quote.
_EVIDENCE = 500
#: Shorter evidence stands in other words too.
_SHORTEST = 8


def claim(draft: Draft, before: Sequence[Message], after: Sequence[Message]) -> None:
    """Write a sentence for each line of a summary that is new in a history and quotes evidence.

    At most ``TraceRule.most_claims``. Linear in the new summaries times the newest evidence.
    """
    lines = list(_new_lines(before, after))
    if not lines:
        return
    evidence = [
        e for e in draft.trace.items("evidence", newest=_EVIDENCE) if len(e.text) >= _SHORTEST
    ]
    room = draft.rule.most_claims
    for line in lines:
        quoted = _quoted(line, evidence)
        if quoted and room > 0:
            write_sentence(draft, line[: draft.rule.text_chars], quoted)
            room -= 1


def _new_lines(before: Sequence[Message], after: Sequence[Message]) -> Iterator[str]:
    new = list(_lines(after))
    known = frozenset(_lines(before)) if new else frozenset()
    yield from dict.fromkeys(line for line in new if line not in known)


def _lines(history: Sequence[Message]) -> Iterator[str]:
    for message in history:
        for block in message.blocks:
            if block.name in (SUMMARY, SUMMARISED):
                yield from (line.strip() for line in block.text.splitlines() if line.strip())


def _quoted(line: str, evidence: Sequence[Item]) -> list[str]:
    return [item.id for item in evidence if item.text in line]
