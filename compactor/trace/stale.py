"""Values that a later result has replaced: their lines give way to the newest, with a ref to the old.

Only in what tools said, and only where a batch rewrites the history anyway.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from compactor.archive import Archive
from compactor.cost import cost
from compactor.facts.named import NamedLine, named_lines
from compactor.messages import Block, Message
from compactor.report import Change

_TOLD = re.compile(
    r"(?P<source>> [^\s:]+(?::[^\s:]+)*:) (?P<facts>.+) \(ref=(?P<ref>a:[0-9a-f]+)\)$"
)
_JOIN = " | "


def newest_values(history: Sequence[Message]) -> dict[str, str]:
    """The newest value of each name. Linear in the history."""
    newest: dict[str, str] = {}
    for message in history:
        for _, block in _texts(message):
            newest.update((line.subject, line.value) for line in named_lines(block.text))
    return newest


def renew(
    history: Sequence[Message], newest: Mapping[str, str], archive: Archive
) -> tuple[list[Message], list[Change]]:
    """The history with stale lines of its results replaced, and what was done. Linear in the history."""
    out, changes = list(history), list[Change]()
    for at, message in enumerate(out):
        if message.results and message.seq >= 0 and not message.pinned:
            out[at], made = _renewed(message, newest, archive)
            changes += made
    return out, changes


def renew_told(
    history: Sequence[Message], newest: Mapping[str, str], replaced: Mapping[str, str]
) -> list[Message]:
    """The history with the entries that tell of what has left brought up to date: a fact that is stale gives
    way to its successor, or goes where that is longer. What it stood in is behind its line's ref still.
    """
    out = list(history)
    for at, message in enumerate(out):
        if message.is_index:
            [block] = message.blocks
            text = "\n".join(_told(line, newest, replaced) for line in block.text.split("\n"))
            if text != block.text:
                out[at] = message.with_blocks((block.edited(text=text),))
    return out


def _told(line: str, newest: Mapping[str, str], replaced: Mapping[str, str]) -> str:
    match = _TOLD.match(line)
    if match is None:
        return line
    facts = []
    for fact in match["facts"].split(_JOIN):
        new = replaced.get(fact, fact)
        for given in named_lines(fact):
            value = newest.get(given.subject, given.value)
            new = fact if value == given.value else f"{given.key} = {value}"
        if len(new) <= len(fact):
            facts.append(new)
    if not facts:
        return f"{match['source']} (ref={match['ref']})"
    return f"{match['source']} {_JOIN.join(facts)} (ref={match['ref']})"


def _texts(message: Message) -> Iterator[tuple[int, Block]]:
    """Results whose content is one text that no stage has made into something else."""
    for index, block in enumerate(message.blocks):
        if block.kind == "tool_result" and block.parts is None and block.text and not block.name:
            yield index, block


def _renewed(
    message: Message, newest: Mapping[str, str], archive: Archive
) -> tuple[Message, list[Change]]:
    blocks, changes = list(message.blocks), list[Change]()
    for index, block in _texts(message):
        lines = named_lines(block.text)
        stale = [line for line in lines if newest.get(line.subject, line.value) != line.value]
        if not stale:
            continue
        ref, text = archive.put(block.text), block.text
        for line in sorted(stale, key=lambda each: -each.start):
            text = _put(text, line, newest[line.subject], ref)
        before, after = cost(block.text), cost(text)
        if text != block.text and after <= before:
            blocks[index] = block.edited(text=text, origin=block.origin or ref)
            changes.append(Change("fold", message.seq, ref, before, after, "stale value"))
    return message.with_blocks(tuple(blocks)), changes


def _put(text: str, line: NamedLine, value: str, ref: str) -> str:
    """The line with its successor, shorter where that would be longer than what it replaces."""
    room = line.end - line.start
    for said in (f"{line.key} = {value} (was ref={ref})", f"(stale: ref={ref})", f"ref={ref}"):
        if len(said) <= room:
            return text[: line.start] + said + text[line.end :]
    return text
