"""What a format could not carry."""

from __future__ import annotations

from dataclasses import dataclass

from compactor.errors import InvalidRequest
from compactor.messages import Block, Json, JsonObject


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


def checked_object(value: Json, index: int) -> JsonObject:
    """The message as an object. Raises InvalidRequest with its index."""
    if not isinstance(value, dict) or not isinstance(value.get("role"), str):
        raise InvalidRequest(
            f"Message {index} must be an object with a role.", field=f"messages.{index}"
        )
    return value
