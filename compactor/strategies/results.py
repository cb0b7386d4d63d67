"""Results that were used, and putting something shorter in the place of one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from compactor.archive import Archive
from compactor.cost import cost, serialise
from compactor.messages import CLEARED, FOLDED, MARKS, Block, Json, Message
from compactor.report import Change, Step
from compactor.strategies.work import Work, calls_of

#: Characters that must be gained: a changed result is written anew, and some formats frame it then.
_LEAST_GAIN = 64


@dataclass(frozen=True, slots=True)
class Used:
    """A result that the assistant has answered: where it stands, and the call that it came from.

    ``again`` says that the same call was made more than once.
    """

    message: int
    block: int
    result: Block
    tool: str
    given: Json
    again: bool
    seq: int

    @property
    def text(self) -> str:
        """What the model reads of it now."""
        return text_of(self.result)


def text_of(result: Block) -> str:
    """The text of a result, its parts one below the other."""
    if result.parts is None:
        return result.text
    return "\n".join(part.text for part in result.parts if part.kind == "text")


def size_of(result: Block) -> int:
    """What a result costs, in characters."""
    if result.parts is None:
        return cost(result.text)
    return sum(
        cost(part.raw) if part.kind == "opaque" else cost(part.text) for part in result.parts
    )


def original_of(result: Block, archive: Archive) -> str:
    """The result as it came, where it was shortened on the way; its text else."""
    if result.origin and result.parts is None:
        kept = archive.get(result.origin)
        if isinstance(kept, str):
            return kept
    texts = []
    for part in result.parts or ():
        kept = archive.get(part.origin) if part.origin else part.text
        texts.append(kept if isinstance(kept, str) else part.text)
    return "\n".join(texts) if result.parts is not None else result.text


def used_results(history: Sequence[Message], work: Work, *, marked: bool = False) -> Iterator[Used]:
    """Results that may be made shorter, oldest first.

    Not among them: those that no word of the assistant follows, the newest ``keep_results``, pinned ones,
    those of excluded tools, what is short already; and with ``marked`` unset, what a strategy has been
    at before.
    """
    rule = work.rule
    calls = calls_of(history)
    made: dict[str, int] = {}
    for name, given in calls.values():
        key = _key(name, given)
        made[key] = made.get(key, 0) + 1
    spoken = max((i for i, m in enumerate(history) if m.role == "assistant"), default=-1)
    places = [
        (i, j) for i, m in enumerate(history) for j, b in enumerate(m.blocks) if _is_result(b)
    ]
    for i, j in places[: max(0, len(places) - rule.keep_results)]:
        message, result = history[i], history[i].blocks[j]
        tool, given = calls.get(result.id, ("", None))
        if i >= spoken or message.pinned or tool in rule.exclude:
            continue
        if (result.name in MARKS and not marked) or size_of(result) <= rule.least_chars:
            continue
        again = made.get(_key(tool, given), 0) > 1
        yield Used(i, j, result, tool, given, again, message.seq)


def _is_result(block: Block) -> bool:
    return block.kind == "tool_result"


def _key(tool: str, given: Json) -> str:
    return f"{tool} {given if isinstance(given, str) else serialise(given)}"


def put(
    history: list[Message], places: Mapping[tuple[int, int], tuple[Block, Change]]
) -> list[Change]:
    """Put other blocks in their places; the changes that this is."""
    changes = []
    for index in dict.fromkeys(message for message, _ in places):
        blocks = list(history[index].blocks)
        for (message, block), (made, change) in places.items():
            if message == index:
                blocks[block] = made
                changes.append(change)
        history[index] = history[index].with_blocks(tuple(blocks))
    return changes


def shortened(
    used: Used, said: Callable[[str], str], archive: Archive, *, why: str, mark: str = FOLDED
) -> tuple[Block, Change] | None:
    """The result as ``said`` of its original's ref, archived first; ``None`` unless it is clearly smaller."""
    before = size_of(used.result)
    ref = ref_of(used.result, archive)
    text = said(ref)
    after = cost(text)
    if after + _LEAST_GAIN > before:
        return None
    step: Step = "fold" if mark == FOLDED else "clear" if mark == CLEARED else "summarise"
    made = used.result.edited(text=text, parts=None, name=mark, origin=ref)
    return made, Change(step, used.seq, ref, before, after, why)


def ref_of(result: Block, archive: Archive) -> str:
    """The ref of a result as it came."""
    whole = result.text if result.parts is None else result.raw
    return result.origin or archive.put(whole)
