"""Lines put into a history where an agent, a user or a tool would have written them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from compactor.messages import Block, Message

_NOTE = "planted:note"


def result_chars(message: Message) -> int:
    """Characters of text in the first result of a message."""
    return len(_text_of(message.results[0])) if message.results else 0


def after_turns(history: Sequence[Message]) -> list[int]:
    """Places behind which a user could speak: the last result before the assistant's next words."""
    return [
        place
        for place in range(len(history) - 1)
        if history[place].role in ("user", "tool") and history[place + 1].role == "assistant"
    ]


def said(history: list[Message], place: int, line: str) -> list[Message]:
    """The line as a last paragraph of what a user or an assistant said there, before any call."""
    message = history[place]
    blocks = list(message.blocks)
    texts = [at for at, block in enumerate(blocks) if block.kind == "text"]
    if texts:
        block = blocks[texts[-1]]
        blocks[texts[-1]] = block.edited(text=f"{block.text}\n{line}")
    else:
        calls = [at for at, block in enumerate(blocks) if block.kind == "tool_use"]
        blocks.insert(calls[0] if calls else len(blocks), Block("text", text=line))
    return _with(history, place, tuple(blocks))


def noted(history: list[Message], place: int, line: str) -> list[Message]:
    """The line as a user's word behind a message: a block of its own where that message is the user's."""
    message = history[place]
    if message.role == "user" and message.format == "text" and not message.results:
        return said(history, place, line)
    return _with(history, place, (*message.blocks, Block("text", text=line, name=_NOTE)))


def in_result(share: float) -> Callable[[list[Message], int, str], list[Message]]:
    """Puts a line into the first result of a message, behind that share of its lines."""

    def put(history: list[Message], place: int, line: str) -> list[Message]:
        message = history[place]
        result = message.results[0]
        text = _with_line(_text_of(result), line, share)
        if result.parts is None:
            made = result.edited(text=text)
        else:
            at = next(i for i, part in enumerate(result.parts) if part.kind == "text")
            parts = list(result.parts)
            parts[at] = parts[at].edited(text=text)
            made = result.edited(parts=tuple(parts))
        blocks = tuple(made if block is result else block for block in message.blocks)
        return _with(history, place, blocks)

    return put


def _with_line(text: str, line: str, share: float) -> str:
    """At a line's end, or where the text has no lines at that share of its characters."""
    at = int(share * len(text))
    if 0 < at < len(text):
        end = text.find("\n", at)
        at = end + 1 if end >= 0 else at
    before, after = text[:at], text[at:]
    first = "\n" if before and not before.endswith("\n") else ""
    return f"{before}{first}{line}\n{after}" if after else f"{before}{first}{line}"


def _text_of(result: Block) -> str:
    if result.parts is None:
        return result.text
    return next((part.text for part in result.parts if part.kind == "text"), "")


def _with(history: list[Message], place: int, blocks: tuple[Block, ...]) -> list[Message]:
    out = list(history)
    out[place] = replace(history[place], blocks=blocks, touched=True)
    return out
