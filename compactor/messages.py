"""The canonical message: roles, blocks, and the raw form that they were read from.

A block that no stage touched is written back from its raw form, so unknown fields survive. A
touched one (``dirty``) is written as its raw form overlaid with the changed fields.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

# A JSON value. ``Any`` because a recursive alias would turn every look-up in foreign JSON into a
# cast.
Json: TypeAlias = Any
JsonObject: TypeAlias = dict[str, Any]

Role = Literal["system", "user", "assistant", "tool"]
#: Name of a text block that is the compactor's own note on the state of the work.
ANCHOR = "pagefold:anchor"
#: Name of a text block that is a summary made here, and of a result that one line stands for.
SUMMARY = "pagefold:summary"
CLEARED = "pagefold:cleared"
#: Name of a text block that lists facts of entries that have left.
FACTS = "pagefold:facts"
#: Name of a result that a reversible fold, or a summary of its own, stands for.
FOLDED = "pagefold:folded"
SUMMARISED = "pagefold:summarised"
#: Results that a strategy has been at: they are not made shorter by another rule of thumb.
MARKS = frozenset((CLEARED, FOLDED, SUMMARISED))
#: Name of a text block that tells of what has left the context.
INDEX = "pagefold:index"
#: What a history starts with where its provider wants a user's word and the assistant has the first.
OPENING = "[the session starts with the assistant]"
Kind = Literal["text", "thinking", "tool_use", "tool_result", "opaque"]


@dataclass(frozen=True, slots=True)
class Block:
    """One piece of a message.

    ``text`` is the text of ``text`` and ``thinking`` blocks and of results whose content is one
    string; ``parts`` holds the content of results given as a list. ``id`` is the call's id on both
    sides of a pair. ``alias`` is the id that the caller knows the call by, where it had to be
    renamed. ``input`` holds a call's arguments: a JSON value, or a string exactly as the model
    wrote it (``input_is_text``). ``origin`` is the ref of the archived original that a shortened
    block stands for.
    """

    kind: Kind
    text: str = ""
    id: str = ""
    name: str = ""
    input: Json = None
    input_is_text: bool = False
    parts: tuple[Block, ...] | None = None
    is_error: bool = False
    signed: bool = False
    alias: str = ""
    raw: Json = None
    format: str = ""
    dirty: bool = False
    origin: str = ""

    def edited(self, **changes: Json) -> Block:
        """A changed copy that knows that its raw form is no longer the whole truth."""
        return replace(self, dirty=True, **changes)


@dataclass(frozen=True, slots=True)
class Message:
    """One entry of the history. ``seq`` is its number, -1 for what the compactor added.

    ``also`` holds the numbers and raw forms of later entries that were joined to this one: some
    formats write one turn of the assistant as several entries.
    """

    role: Role
    blocks: tuple[Block, ...]
    raw: Json = None
    format: str = ""
    pinned: bool = False
    seq: int = -1
    touched: bool = False
    also: tuple[tuple[int, Json], ...] = ()

    @property
    def dirty(self) -> bool:
        return self.touched or any(block.dirty for block in self.blocks)

    @property
    def members(self) -> tuple[tuple[int, Json], ...]:
        """Number and raw form of every entry of the session that this message stands for."""
        return ((self.seq, self.raw), *self.also) if self.seq >= 0 else self.also

    @property
    def results(self) -> tuple[Block, ...]:
        return tuple(block for block in self.blocks if block.kind == "tool_result")

    @property
    def calls(self) -> tuple[Block, ...]:
        return tuple(block for block in self.blocks if block.kind == "tool_use")

    @property
    def is_note(self) -> bool:
        """Whether it is nothing but the compactor's floating note, an entry of no one's."""
        return self.seq < 0 and len(self.blocks) == 1 and self.blocks[0].name == ANCHOR

    @property
    def is_index(self) -> bool:
        """Whether it is the entry that tells of what has left the context."""
        return self.seq < 0 and any(block.name == INDEX for block in self.blocks)

    def with_blocks(self, blocks: tuple[Block, ...]) -> Message:
        """A copy with other blocks, marked as changed unless they are the same objects."""
        same = len(blocks) == len(self.blocks) and all(
            old is new for old, new in zip(self.blocks, blocks, strict=True)
        )
        return self if same else replace(self, blocks=blocks, touched=True)


def entries(messages: Iterable[Message]) -> set[int]:
    """Numbers of the session's entries that some messages stand for."""
    return {seq for message in messages for seq, _ in message.members}


def is_summary(message: Message) -> bool:
    """Whether a message is a summary that was made here."""
    return any(block.name == SUMMARY and block.kind == "text" for block in message.blocks)


def is_opening(message: Message) -> bool:
    """Whether a message only stands in front of the assistant's first word."""
    return message.role == "user" and [block.text for block in message.blocks] == [OPENING]


def joined(first: Message, second: Message) -> Message:
    """One message of two entries of the same role; unchanged blocks keep their raw forms."""
    return replace(
        first,
        blocks=first.blocks + second.blocks,
        touched=first.touched or second.touched,
        pinned=first.pinned or second.pinned,
        also=first.also + second.members,
    )


def text_message(role: Role, text: str) -> Message:
    """A message that the compactor adds itself."""
    return Message(role, (Block("text", text=text),))
