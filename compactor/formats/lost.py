"""What a format could not carry."""

from __future__ import annotations

from dataclasses import dataclass

from compactor.errors import InvalidRequest
from compactor.messages import Block, Json, JsonObject

#: Deeper JSON than any provider takes; far below where a recursive reader would fail.
MOST_LEVELS = 200


@dataclass(frozen=True, slots=True)
class Lost:
    """``index`` counts canonical messages; ``what`` is the kind of block, ``why`` a sentence."""

    index: int
    what: str
    why: str


def not_carried(block: Block, index: int, lost: list[Lost]) -> str:
    """Note that a block has no form here; the text that stands in its place."""
    lost.append(Lost(index, block.name or "opaque", "The block has no form in this format."))
    return f"[{block.name or 'block'} not carried]"


def check_depth(value: Json, name: str, field: str) -> None:
    """Linear, and flat itself. Raises InvalidRequest for JSON nested deeper than ``MOST_LEVELS``."""
    level: list[Json] = [value] if isinstance(value, dict | list) else []
    for _ in range(MOST_LEVELS):
        level = [
            inner
            for outer in level
            for inner in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(inner, dict | list)
        ]
        if not level:
            return
    raise InvalidRequest(
        f"{name}: JSON may be nested {MOST_LEVELS} levels deep; send deeper values as text.",
        field=field,
    )


def checked_object(value: Json, index: int) -> JsonObject:
    """The message as an object. Raises InvalidRequest with its index."""
    if not isinstance(value, dict) or not isinstance(value.get("role"), str):
        raise InvalidRequest(
            f"Message {index} must be an object with a role.", field=f"messages.{index}"
        )
    return value
