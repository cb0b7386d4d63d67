"""Stage 1: each tool result is limited before it enters the history."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from compactor.archive import Archive
from compactor.cut import MARKER_FLOOR, head_tail, shorten_lines
from compactor.htmlkind import looks_like_html, stand_in
from compactor.messages import Block, Message
from compactor.policy import Limit, Policy
from compactor.report import Change, Step

# (html, budget in characters) -> a document within the budget
FoldHtml = Callable[[str, int], str]
_PREVIEW_CHARS = 170
_Shrunk = tuple[str, Step, str, str]


def truncate(
    message: Message,
    calls: Mapping[str, Block],
    *,
    policy: Policy,
    archive: Archive,
    fold_html: FoldHtml | None = None,
) -> tuple[Message, list[Change]]:
    """The message with every tool result within its limit, originals archived first.

    ``calls`` maps the ids of the turn's calls to the calls; their number divides the limits where
    the policy says so.
    """
    changes: list[Change] = []
    share = max(1, len(calls)) if policy.divide_parallel else 1
    blocks = []
    for block in message.blocks:
        if block.kind == "tool_result":
            rule = _rule(policy, calls.get(block.id), share)
            block = _limit_result(block, rule, archive, fold_html, _Log(message.seq, changes))
        blocks.append(block)
    return message.with_blocks(tuple(blocks)), changes


@dataclass(frozen=True, slots=True)
class _Rule:
    limit: Limit
    html_chars: int
    why: str = "limit"


@dataclass(frozen=True, slots=True)
class _Log:
    seq: int
    changes: list[Change]


def _rule(policy: Policy, call: Block | None, share: int) -> _Rule:
    tool = call.name if call is not None else ""
    html_chars = max(MARKER_FLOOR, policy.html_limit_chars // share)
    if tool == "web_execute_js" and call is not None and _saves(call):
        return _Rule(Limit(_PREVIEW_CHARS), html_chars, "save_to_file")
    limit = policy.limit_for(tool)
    if share > 1:
        limit = replace(limit, chars=max(min(MARKER_FLOOR, limit.chars), limit.chars // share))
    return _Rule(limit, html_chars)


def _saves(call: Block) -> bool:
    if isinstance(call.input, dict):
        return bool(call.input.get("save_to_file"))
    return isinstance(call.input, str) and '"save_to_file"' in call.input


def _limit_result(
    block: Block, rule: _Rule, archive: Archive, fold_html: FoldHtml | None, log: _Log
) -> Block:
    if block.parts is None:
        return _noted(block, _limit_text(block.text, rule, archive, fold_html), log)
    total = sum(len(part.text) for part in block.parts if part.kind == "text")
    parts = []
    for part in block.parts:
        if part.kind == "text" and part.text:
            own = rule
            if total > rule.limit.chars:
                # Several texts share one limit by their size.
                chars = max(1, rule.limit.chars * len(part.text) // total)
                own = replace(rule, limit=replace(rule.limit, chars=chars))
            part = _noted(part, _limit_text(part.text, own, archive, fold_html), log)
        parts.append(part)
    if all(new is old for new, old in zip(parts, block.parts, strict=True)):
        return block
    return block.edited(parts=tuple(parts))


def _limit_text(
    text: str, rule: _Rule, archive: Archive, fold_html: FoldHtml | None
) -> _Shrunk | None:
    """The shorter text with step, ref and reason; ``None`` if it may stay as it is."""
    if looks_like_html(text):
        if len(text) <= rule.html_chars:
            return None
        return shrink_html(text, rule.html_chars, archive, fold_html)
    limit = rule.limit
    long_line = bool(limit.line_chars) and max(map(len, text.split("\n"))) > limit.line_chars
    if len(text) <= limit.chars and not long_line:
        return None
    ref = archive.put(text)
    made = shorten_lines(text, limit.line_chars, ref) if long_line else text
    return head_tail(made, limit.chars, ref), "truncate", ref, rule.why


def shrink_html(text: str, limit: int, archive: Archive, fold_html: FoldHtml | None) -> _Shrunk:
    """A document folded into ``limit`` characters, or one line that names it: never a cut tree."""
    ref = archive.put(text)
    if fold_html is not None:
        folded = fold_html(text, limit)
        if len(folded) <= limit:
            return folded, "fold", ref, "html_limit"
    return stand_in(text, ref), "archive", ref, "html_limit"


def _noted(block: Block, shrunk: _Shrunk | None, log: _Log) -> Block:
    if shrunk is None or shrunk[0] == block.text:
        return block
    made, step, ref, why = shrunk
    log.changes.append(Change(step, log.seq, ref, len(block.text), len(made), why))
    return block.edited(text=made, origin=ref)
