"""A list that was compacted before: what stands for an original in the archive is known again."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from compactor.archive import Archive
from compactor.errors import ArtifactCorrupt, NotFound
from compactor.messages import CLEARED, FOLDED, SUMMARISED, Block, Message

#: The line that a strategy puts in the place of a result, or at the head of what it puts there.
_HEAD = re.compile(r"\[([^\n]{1,400}?)[,;:]? (?:\w+ )*ref=(a:[0-9a-f]{8,64})\](?:\n|\Z)")
_SUMMED = re.compile(r"summary of |result of .*: summarised ")
_CLEARED = re.compile(r"result of .* cleared")


def recalled(messages: Sequence[Message], archive: Archive) -> list[Message]:
    """The messages with shortened results marked; nothing that is sent changes.

    Text that only looks like a mark names no original in this archive, and stays what it is. Linear.
    """
    return [
        replace(message, blocks=tuple(_recalled(block, archive) for block in message.blocks))
        if message.results
        else message
        for message in messages
    ]


def _recalled(block: Block, archive: Archive) -> Block:
    if block.kind != "tool_result" or block.name:
        return block
    text = block.text
    if block.parts is not None:
        text = block.parts[0].text if len(block.parts) == 1 else ""
    found = _HEAD.match(text)
    if found is None or not _holds(archive, found[2]):
        return block
    mark = FOLDED
    if _SUMMED.match(found[1]):
        mark = SUMMARISED
    elif _CLEARED.match(found[1]):
        mark = CLEARED
    return replace(block, name=mark, origin=found[2])


def _holds(archive: Archive, ref: str) -> bool:
    try:
        archive.get(ref)
    except (NotFound, ArtifactCorrupt):
        return False
    return True
