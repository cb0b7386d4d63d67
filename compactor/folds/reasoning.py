"""Reasoning moves out of older messages; its conclusion and ref stay."""

from __future__ import annotations

from collections.abc import Sequence

from compactor.archive import Archive
from compactor.cost import cost
from compactor.facts.sentences import sentences_of
from compactor.messages import Block, Message
from compactor.report import Change
from compactor.trust import one_line

_CONCLUSION = 200


def fold_reasoning(
    history: Sequence[Message], archive: Archive, *, keep: int = 4
) -> tuple[list[Message], list[Change]]:
    """Unsigned thinking in all but the newest ``keep`` messages becomes its conclusion with a ref.

    Signed thinking is kept whole or removed whole elsewhere, never cut. A second pass changes nothing.
    Linear.
    """
    out, changes = list(history), list[Change]()
    for index, message in enumerate(history[: max(0, len(history) - keep)]):
        if message.pinned or message.role != "assistant":
            continue
        blocks = []
        for block in message.blocks:
            made = _folded(block, archive)
            if made is not block:
                changes.append(
                    Change(
                        "fold",
                        message.seq,
                        made.origin,
                        cost(block.text),
                        cost(made.text),
                        "reasoning",
                    )
                )
            blocks.append(made)
        out[index] = message.with_blocks(tuple(blocks))
    return out, changes


def _folded(block: Block, archive: Archive) -> Block:
    if block.kind != "thinking" or block.signed or block.origin:
        return block
    ref = archive.put(block.text)
    text = f"{conclusion_of(block.text)} [reasoning taken out, ref={ref}]"
    return block.edited(text=text, origin=ref) if cost(text) + 64 < cost(block.text) else block


def conclusion_of(text: str) -> str:
    """The last decision that a text states; its last sentence if it states none."""
    decisions = [found.text for found in sentences_of(text, "assistant", _CONCLUSION)]
    if decisions:
        return decisions[-1]
    return one_line(text)[-_CONCLUSION:].partition(". ")[2] or one_line(text)[-_CONCLUSION:]
