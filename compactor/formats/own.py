"""What the adapters share: a block's own raw form, a message's role, a call's arguments."""

from __future__ import annotations

from collections.abc import Mapping

from compactor.cost import serialise
from compactor.errors import InvalidRequest
from compactor.messages import Block, JsonObject, Role


def own_form(block: Block, name: str) -> tuple[JsonObject, bool]:
    """The raw object that a block was read from in format ``name``, and whether it is still all of it.

    Empty and false for a block of another format.
    """
    if block.format != name or not isinstance(block.raw, dict):
        return {}, False
    return block.raw, not block.dirty


def arguments_of(call: Block) -> str:
    """A call's arguments as a string, as its model wrote them where it wrote a string."""
    return str(call.input) if call.input_is_text else serialise(call.input)


def role_of(raw: JsonObject, roles: Mapping[str, Role], index: int) -> Role:
    """The canonical role of a message. Raises InvalidRequest naming those that the format has."""
    role = roles.get(raw["role"])
    if role is None:
        raise InvalidRequest(
            f"Message {index}: role must be one of {', '.join(roles)}.",
            field=f"messages.{index}.role",
        )
    return role
