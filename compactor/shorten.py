"""A call's arguments made shorter, their JSON still valid."""

from __future__ import annotations

import json

from compactor.archive import Archive
from compactor.cost import cost
from compactor.cut import MARKER_FLOOR, shorten_leaves
from compactor.messages import Block, Json


def shorten_call(block: Block, limit: int, archive: Archive) -> tuple[Block, str]:
    """The call with its string leaves cut until the arguments cost ``limit``, and the original's ref.

    The same block where that would not be smaller.
    """
    given: Json = block.input
    if block.origin:
        given = archive.get(block.origin)
    ref = block.origin or archive.put(given)
    value = given
    if block.input_is_text:
        try:
            value = json.loads(given)
        except (ValueError, RecursionError):
            value = {"arguments": given}

    def as_written(made: Json) -> Json:
        return json.dumps(made, ensure_ascii=False) if block.input_is_text else made

    leaf = limit
    final = as_written(shorten_leaves(value, leaf, ref))
    while cost(final) > limit and leaf > MARKER_FLOOR:
        leaf = max(MARKER_FLOOR, leaf // 2)
        final = as_written(shorten_leaves(value, leaf, ref))
    if cost(final) > limit:
        final = as_written({"archived": f"ref={ref}"})
    if cost(final) >= cost(block.input):
        return block, ""
    return block.edited(input=final, origin=ref), ref
