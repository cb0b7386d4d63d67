"""The facts of one message, block by block, each with who said it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from compactor.facts.kinds import Found
from compactor.facts.named import NamedLine, named_lines
from compactor.facts.sentences import commands_in, errors_of, line_of, sentences_of
from compactor.facts.tokens import numbers_of, words_of
from compactor.facts.values import values_of
from compactor.messages import ANCHOR, SUMMARY, Block, Json, Message

_COMMAND_KEYS = ("command", "cmd", "script", "code", "query", "sql")
_ERRORS = 12


def read_facts(
    message: Message, tools: Mapping[str, str], most: int, scan: int
) -> Iterator[tuple[str, Found]]:
    """Source and fact, in the order of the blocks; texts have at most ``most`` characters.

    Of a text longer than ``scan`` only head and tail are read whole, and of the rest only errors.
    """
    said = message.role if message.role in ("assistant", "system") else "user"
    for block in message.blocks:
        if block.name in (ANCHOR, SUMMARY) and block.kind == "text":
            continue
        if block.kind == "tool_result":
            source = source_of(tools.get(block.id) or tools.get(block.alias) or "")
            for text in _texts(block):
                yield from ((source, found) for found in _of_text(text, source, most, scan))
        elif block.kind == "tool_use":
            yield from ((said, found) for found in _of_call(block, most, scan))
        elif block.text:
            yield from ((said, found) for found in _of_text(block.text, said, most, scan))


def named_in(
    message: Message, tools: Mapping[str, str], scan: int
) -> Iterator[tuple[str, NamedLine]]:
    """Source and line of each value that a tool's result gives a name of its own.

    Of a text longer than ``scan`` only head and tail are read.
    """
    for block in message.results:
        source = source_of(tools.get(block.id) or tools.get(block.alias) or "")
        for text in _texts(block):
            if len(text) > scan:
                text = f"{text[: scan // 2]}\n{text[-scan // 2 :]}"
            yield from ((source, line) for line in named_lines(text))


def source_of(tool: str) -> str:
    """The label of what a tool said."""
    name = "_".join(tool.replace(":", " ").split())
    return f"tool:{name}" if name else "tool"


def _texts(block: Block) -> Iterator[str]:
    if block.parts is None:
        yield block.text
    for part in block.parts or ():
        if part.kind == "text":
            yield part.text


def _of_text(text: str, source: str, most: int, scan: int) -> Iterator[Found]:
    if len(text) <= scan:
        yield from facts_in(text, source, most)
        return
    yield from errors_of(text, most, count=_ERRORS)
    ends = f"{text[: scan // 2]}\n{text[-scan // 2 :]}"
    yield from (found for found in facts_in(ends, source, most) if found.kind != "error")


def facts_in(text: str, source: str, most: int) -> Iterator[Found]:
    """The facts of one text. Linear."""
    yield from errors_of(text, most, count=_ERRORS)
    yield from sentences_of(text, source, most)
    values = list(values_of(text, source, most))
    yield from values
    yield from commands_in(text, most)
    yield from words_of(text)
    said = "\n".join(dict.fromkeys(found.text for found in values))
    yield from (found for found in numbers_of(text) if found.text not in said)


def _of_call(call: Block, most: int, scan: int) -> Iterator[Found]:
    given = call.input
    if call.input_is_text:
        given = _parsed(call.input)
    if isinstance(given, dict):
        for key in _COMMAND_KEYS:
            command = given.get(key)
            if isinstance(command, str) and command.strip():
                yield Found("command", line_of(command, most))
    for text in _leaves(given):
        if len(text) > scan:
            text = f"{text[: scan // 2]}\n{text[-scan // 2 :]}"
        yield from words_of(text)


def _parsed(text: str) -> Json:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _leaves(value: Json) -> Iterator[str]:
    """The strings of a JSON value, without recursion."""
    left = [value]
    while left:
        item = left.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, dict):
            left += reversed(item.values())
        elif isinstance(item, list):
            left += reversed(item)
