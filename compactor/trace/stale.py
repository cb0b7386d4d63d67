"""Values that a later result has replaced: their lines give way to the newest, with a ref to the old.

Only in what tools said, and only where a batch rewrites the history anyway.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from compactor.archive import Archive
from compactor.cost import cost
from compactor.facts.named import NamedLine, named_lines
from compactor.facts.names import Names
from compactor.messages import Block, Message
from compactor.report import Change

_TOLD = re.compile(
    r"(?P<source>> [^\s:]+(?::[^\s:]+)*:) (?P<facts>.+) \(ref=(?P<ref>a:[0-9a-f]+)\)$"
)
_JOIN = " | "


def stands(history: Sequence[Message], values: Sequence[str]) -> bool:
    """Whether one of some values is in view where ``renew`` or ``renew_told`` would take it out. Linear."""
    for message in history:
        for block in message.blocks:
            pieces = _pieces(block) if _mended(message) else (block,) if message.is_index else ()
            if any(value in piece.text for piece in pieces for value in values):
                return True
    return False


def renew(
    history: Sequence[Message], names: Names, archive: Archive
) -> tuple[list[Message], list[Change]]:
    """The history with stale lines of its results replaced, and what was done. Linear in the history."""
    out, changes = list(history), list[Change]()
    for at, message in enumerate(out):
        if _mended(message):
            out[at], made = _renewed(message, names.newest, archive)
            changes += made
    return out, changes


def renew_told(history: Sequence[Message], names: Names) -> list[Message]:
    """The history with the entries that tell of what has left brought up to date: a fact that is stale gives
    way to its successor, or goes where that is longer. What it stood in is behind its line's ref still.
    """
    out = list(history)
    for at, message in enumerate(out):
        if message.is_index:
            [block] = message.blocks
            text = "\n".join(_told(line, names) for line in block.text.split("\n"))
            if text != block.text:
                out[at] = message.with_blocks((block.edited(text=text),))
    return out


def _told(line: str, names: Names) -> str:
    match = _TOLD.match(line)
    if match is None:
        return line
    facts = []
    for fact in match["facts"].split(_JOIN):
        new = names.replaced.get(fact, fact)
        for given in named_lines(fact):
            value = names.newest.get(given.subject, given.value)
            new = fact if value == given.value else f"{given.key} = {value}"
        if len(new) <= len(fact):
            facts.append(new)
    if not facts:
        return f"{match['source']} (ref={match['ref']})"
    return f"{match['source']} {_JOIN.join(facts)} (ref={match['ref']})"


def _mended(message: Message) -> bool:
    return bool(message.results) and message.seq >= 0 and not message.pinned


def _pieces(block: Block) -> tuple[Block, ...]:
    """The texts of a result whose content no stage has made into something else."""
    if block.kind != "tool_result" or block.name:
        return ()
    if block.parts is None:
        return (block,)
    return tuple(part for part in block.parts if part.kind == "text")


def _renewed(
    message: Message, newest: Mapping[str, str], archive: Archive
) -> tuple[Message, list[Change]]:
    blocks, changes = list(message.blocks), list[Change]()
    for index, block in enumerate(blocks):
        made = dict[int, Block]()
        for piece in _pieces(block):
            ref, text = _with_newest(piece.text, newest, archive)
            before, after = cost(piece.text), cost(text)
            if ref and after <= before:
                made[id(piece)] = piece.edited(text=text, origin=piece.origin or ref)
                changes.append(Change("fold", message.seq, ref, before, after, "stale value"))
        if made and block.parts is not None:
            parts = tuple(made.get(id(part), part) for part in block.parts)
            blocks[index] = block.edited(parts=parts)
        else:
            blocks[index] = made.get(id(block), block)
    return message.with_blocks(tuple(blocks)), changes


def _with_newest(text: str, newest: Mapping[str, str], archive: Archive) -> tuple[str, str]:
    """The ref of a text and the text with the newest values; no ref where nothing changes."""
    lines = named_lines(text)
    stale = [line for line in lines if newest.get(line.subject, line.value) != line.value]
    if not stale:
        return "", text
    ref, made = archive.put(text), text
    for line in sorted(stale, key=lambda each: -each.start):
        made = _put(made, line, newest[line.subject], ref)
    return (ref, made) if made != text else ("", text)


def _put(text: str, line: NamedLine, value: str, ref: str) -> str:
    """The line with its successor, shorter where that would be longer than what it replaces."""
    room = line.end - line.start
    for said in (f"{line.key} = {value} (was ref={ref})", f"(stale: ref={ref})", f"ref={ref}"):
        if len(said) <= room:
            return text[: line.start] + said + text[line.end :]
    return text
