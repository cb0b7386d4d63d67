"""The working memory: what the newest turns did, in one line each, and what the agent noted."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace

from compactor.cost import serialise
from compactor.messages import ANCHOR, Block, Json, Message
from compactor.tags import find_tags

CHECKPOINT = "update_working_checkpoint"
LINES = 20
LINE_CHARS = 100
#: Of a line that is composed here, and of an argument in it: every request pays for all lines anew.
_COMPOSED_CHARS = 48
_ARGUMENT_CHARS = 32
_SMALLEST = 120
#: What stands around the lines and the agent's own note.
_FRAME = 160
#: By how much what must be in view may grow between two appends without less of the rest.
_TRACE_SLACK = 200


@dataclass(frozen=True, slots=True)
class Memory:
    """``lines`` are the newest turn summaries, ``turn`` counts the assistant's messages.

    ``pending`` is the line of a turn whose results are still to come; ``called`` says whether a tool was
    ever called; ``trace`` is what the session knows and must keep in view: goal, constraints, hypotheses.
    """

    turn: int = 0
    lines: tuple[str, ...] = ()
    pending: str = ""
    key_info: str = ""
    called: bool = False
    trace: str = ""


def remember(memory: Memory, message: Message, *, key_info_chars: int) -> Memory:
    """The memory after one more message."""
    if message.role == "assistant":
        return _after_turn(memory, message, key_info_chars)
    if not message.results or not memory.pending:
        return memory
    outcome = _outcome(message.results)
    line = f"{_one_line(memory.pending, _COMPOSED_CHARS - 3 - len(outcome))} → {outcome}"
    return replace(memory, lines=(*memory.lines, line)[-LINES:], pending="")


def _after_turn(memory: Memory, message: Message, key_info_chars: int) -> Memory:
    said = "\n".join(block.text for block in message.blocks if block.kind == "text")
    own = next((t for t in find_tags(said, ("summary",)) if t.closed), None)
    line = _one_line(said[own.inner : own.close], LINE_CHARS) if own else ""
    calls = message.calls
    noted = next((_noted(call) for call in calls if call.name == CHECKPOINT), None)
    memory = replace(
        memory,
        turn=memory.turn + 1,
        called=memory.called or bool(calls),
        key_info=memory.key_info if noted is None else noted[:key_info_chars],
    )
    if line or not calls:
        line = line or _one_line(said, LINE_CHARS)
        lines = (*memory.lines, line)[-LINES:] if line else memory.lines
        return replace(memory, lines=lines, pending="")
    return replace(memory, pending=", ".join(_call_line(call) for call in calls[:3]))


def _noted(call: Block) -> str | None:
    given = call.input
    if call.input_is_text:
        given = _parsed(call.input)
    value = given.get("key_info") if isinstance(given, dict) else None
    return value if isinstance(value, str) else None


def _parsed(text: str) -> Json:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _call_line(call: Block) -> str:
    given = _parsed(call.input) if call.input_is_text else call.input
    value: Json = ""
    if isinstance(given, dict) and given:
        strings = [v for v in given.values() if isinstance(v, str) and v.strip()]
        value = strings[0] if strings else serialise(next(iter(given.values())))
    text = " ".join(str(value).split())
    if len(text) > _ARGUMENT_CHARS and "/" in text and " " not in text:
        # Of a path the end says most.
        return f"{call.name}(…{text[1 - _ARGUMENT_CHARS :]})"
    return f"{call.name}({_one_line(text, _ARGUMENT_CHARS)})"


def _outcome(results: Sequence[Block]) -> str:
    """Errors only: what a tool said must not become the compactor's own words."""
    failed = sum(result.is_error for result in results)
    if failed:
        return "error" if failed == len(results) else f"{failed} of {len(results)} failed"
    return "ok" if any(r.text or r.parts for r in results) else "empty"


def _one_line(text: str, limit: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def note_chars(memory: Memory) -> int:
    """About the most characters that the note of one of the next turns will have, before escapes."""
    longest = max(map(len, memory.lines), default=_COMPOSED_CHARS)
    known = len(memory.trace) + _TRACE_SLACK if memory.trace else 0
    return LINES * (longest + 1) + len(memory.key_info) + known + _FRAME


def note(memory: Memory, *, used: float, refs: int, limit: int) -> str:
    """The memory as the text of an anchor, at most ``limit`` characters; oldest lines go first.

    Empty before the first tool call, and where ``limit`` leaves no room for it.
    """
    if not memory.called or limit < _SMALLEST:
        return ""
    head = f"### [WORKING MEMORY]\nturn {memory.turn}, {used:.0%} of the budget, {refs} open refs"
    if memory.trace and len(head) + 1 + len(memory.trace) <= limit:
        head = f"{head}\n{memory.trace}"
    key = f"\n<key_info>\n{memory.key_info}\n</key_info>" if memory.key_info else ""
    if len(head) + len(key) > limit:
        key = ""
    lines = list(memory.lines)
    while lines:
        listed = "\n".join(lines)
        text = f"{head}\n<history>\n{listed}\n</history>{key}"
        if len(text) <= limit:
            return text
        lines.pop(0)
    return head + key


def attach(history: Sequence[Message], text: str) -> list[Message]:
    """The history with the note as the last block of its newest entry, where it stays."""
    out = list(history)
    if _takes_note(out, text):
        out[-1] = out[-1].with_blocks((*out[-1].blocks, _anchor(text)))
    return out


def float_on(history: Sequence[Message], text: str, *, into_result: bool) -> list[Message]:
    """The history with the note behind its newest entry, which stays as it is to the byte.

    ``into_result`` puts it at the end of the newest result instead, for providers that take no user's
    word right after results; what the user said beside them stands between anyway, and takes the note. A
    history that ends with the assistant's words stays as it is.
    """
    out = list(history)
    if not _takes_note(out, text):
        return out
    last = out[-1]
    if last.results and into_result and len(last.results) == len(last.blocks):
        at = max(i for i, block in enumerate(last.blocks) if block.kind == "tool_result")
        blocks = list(last.blocks)
        blocks[at] = _with_note(blocks[at], text)
        out[-1] = last.with_blocks(tuple(blocks))
    else:
        out.append(Message("user", (_anchor(text),)))
    return out


def _takes_note(history: Sequence[Message], text: str) -> bool:
    return bool(text and history) and history[-1].role not in ("assistant", "system")


def _anchor(text: str) -> Block:
    return Block("text", text=text, name=ANCHOR)


def _with_note(result: Block, text: str) -> Block:
    if result.parts is None:
        return result.edited(text=f"{result.text}\n\n{text}")
    return result.edited(parts=(*result.parts, _anchor(text)))
