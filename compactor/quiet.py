"""Long results that are mostly noise: progress, escapes and repeated lines go before anything is cut."""

from __future__ import annotations

from collections.abc import Sequence

from compactor.archive import Archive
from compactor.cost import cost
from compactor.folds import quieted
from compactor.htmlkind import looks_like_html
from compactor.messages import Block, Message
from compactor.report import Change


def quiet_results(
    history: Sequence[Message], *, exempt: int, limit: int, archive: Archive
) -> tuple[list[Message], list[Change]]:
    """Results over ``limit`` characters that fit in it once their noise is one line with a count.

    All but the newest ``exempt`` messages; pinned ones stay, and so does what was shortened before or
    is still too long: that is cut as it came. Originals are archived. Linear; a second pass changes
    nothing.
    """
    out, changes = list(history), list[Change]()
    for index in range(max(0, len(out) - exempt)):
        message = out[index]
        if message.pinned or not message.results:
            continue
        blocks = []
        for block in message.blocks:
            made = _quiet(block, limit, archive)
            if made is not block:
                before, after = cost(block.text), cost(made.text)
                changes.append(Change("compress", message.seq, made.origin, before, after, "noise"))
            blocks.append(made)
        out[index] = message.with_blocks(tuple(blocks))
    return out, changes


def _quiet(block: Block, limit: int, archive: Archive) -> Block:
    text = block.text
    if block.kind != "tool_result" or block.parts is not None or block.origin:
        return block
    if len(text) <= limit or looks_like_html(text):
        return block
    # The length of the note that names the ref, which is not made before it is needed.
    room = limit - len(_note(text, "a:" + "0" * 8)) - 1
    if len(quieted(text[: limit + limit // 4])) > limit:
        return block  # of most texts the start alone is too long already
    left = quieted(text)
    if len(left) > room:
        return block
    ref = archive.put(text)
    made = f"{left}\n{_note(text, ref)}"
    return block.edited(text=made, origin=ref) if cost(made) < cost(text) else block


def _note(text: str, ref: str) -> str:
    return f"[noise taken out of {len(text):,} characters, ref={ref}]"
