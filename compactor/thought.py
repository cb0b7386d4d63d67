"""Signed thinking after an eviction: of one turn of tool use it stays as a whole or goes as a whole."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from compactor.archive import Archive
from compactor.cost import cost
from compactor.formats.anthropic import NAME
from compactor.messages import Block, Message
from compactor.report import Change


def whole_or_none(
    before: Sequence[Message], after: list[Message], archive: Archive, *, drop_all: bool
) -> tuple[list[Message], list[Change]]:
    """Take out the signed thinking of every turn that lost some of it between two histories.

    A turn of tool use reaches from one word of the user to the next. ``drop_all`` takes out all that
    is left as soon as messages have gone: some providers bind a signature to everything before it.
    Originals are archived first. Linear.
    """
    if not any(block.signed for message in before for block in message.blocks):
        return after, []
    standing = {seq for message in after for seq, _ in message.members}
    cut = any(seq not in standing for message in before for seq, _ in message.members)
    thinking_left = _signed(after)
    damaged: set[int] = set()
    for turn in _turns_of_use(before):
        seqs = [seq for message in turn for seq in _signers(message)]
        left = [seq for seq in seqs if seq in thinking_left]
        if (drop_all and cut) or 0 < len(left) < len(seqs):
            damaged.update(left)
    out, changes = list(after), []
    for index, message in enumerate(after):
        if not message.pinned and damaged.intersection(_signers(message)):
            out[index], made = _without_signed(message, archive)
            changes += made
    return out, changes


def _signers(message: Message) -> list[int]:
    """The entry's number once for each signed block in it. Other formats ask for no such care."""
    return [message.seq for block in message.blocks if block.signed and block.format == NAME]


def _signed(history: Sequence[Message]) -> set[int]:
    return {seq for message in history for seq in _signers(message)}


def _turns_of_use(history: Sequence[Message]) -> Iterator[list[Message]]:
    turn: list[Message] = []
    for message in history:
        if message.role == "user" and not message.results and turn:
            yield turn
            turn = []
        turn.append(message)
    if turn:
        yield turn


def _without_signed(message: Message, archive: Archive) -> tuple[Message, list[Change]]:
    gone = [block for block in message.blocks if block.signed]
    refs = [archive.put(block.raw) for block in gone]
    changes = [
        Change("evict", message.seq, ref, cost(block.raw), 0, "signed_turn")
        for block, ref in zip(gone, refs, strict=True)
    ]
    left = tuple(block for block in message.blocks if not block.signed)
    if not left:
        left = (Block("text", text=f"[thinking taken out, ref={refs[0]}]"),)
    return message.with_blocks(left), changes
