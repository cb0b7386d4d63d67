"""Where each ref came from, so that one whose original is gone still says how to get it again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

from compactor.cost import cost, serialise
from compactor.messages import Block, Json, JsonObject, Message
from compactor.report import Change

#: Arguments up to this many characters are kept whole; of longer ones the head, as text.
_ARGUMENTS_CHARS = 2_000


@dataclass(frozen=True, slots=True)
class Origin:
    """``when``: the number of the newest entry when the original was taken out of entry ``seq``.

    ``step`` and ``why`` name the stage and its rule. ``tool`` and ``arguments`` are the call whose result it
    was; empty and ``None`` where it was no result.
    """

    ref: str
    seq: int
    when: int
    step: str
    why: str
    tool: str = ""
    arguments: Json = None

    def as_json(self) -> JsonObject:
        """Plain JSON."""
        return asdict(self)

    @property
    def again(self) -> str:
        """How to get it again: the original call; empty where no call brought it."""
        return f"{self.tool}({serialise(self.arguments)})" if self.tool else ""

    def __str__(self) -> str:
        said = f"it was taken out of message {self.seq} at message {self.when} ({self.step}: {self.why})"
        return f"{said}; to get it again call {self.again}" if self.tool else said


def origins_of(changes: Sequence[Change], known: Sequence[Message]) -> Iterator[Origin]:
    """The origin of every ref that was made now; ``known`` are the messages as they stood before.

    Where one entry holds several results, the ref of a piece names the call of the result that was
    changed if its text tells, else the first. Linear in the messages.
    """
    wanted = {change.seq for change in changes if change.ref}
    if not wanted:
        return
    places: dict[int, Message] = {}
    for message in known:
        for seq in (message.seq, *(other for other, _ in message.also)):
            if seq in wanted:
                places[seq] = message
    answered = {result.id for message in places.values() for result in message.results}
    calls: dict[str, Block] = {}
    for message in known if answered else ():
        for block in message.blocks:
            if block.kind == "tool_use" and (block.id in answered or block.alias in answered):
                calls[block.alias or block.id] = calls[block.id] = block
    newest = max((message.seq for message in known), default=-1)
    answers: dict[int, dict[int, Block]] = {}
    for change in changes:
        if not change.ref:
            continue
        if change.seq not in answers:
            answers[change.seq] = _answers(places.get(change.seq), calls)
        known_by_size = answers[change.seq]
        found = known_by_size.get(change.before) or known_by_size.get(_ANY)
        at = (change.ref, change.seq, newest, change.step, change.why)
        yield Origin(*at) if found is None else Origin(*at, found.name, _bounded(found.input))


_ANY = -1


def _answers(message: Message | None, calls: dict[str, Block]) -> dict[int, Block]:
    """The calls that a message answers, by the size of their result; the first of them for any size."""
    answered = message.results if message is not None else ()
    made: dict[int, Block] = {}
    for result in answered:
        call = calls.get(result.id)
        if call is not None:
            made.setdefault(_ANY, call)
            if len(answered) > 1:  # of one alone the size says nothing
                made.setdefault(len(result.text), call)
                made.setdefault(cost(result.text), call)
    return made


def _bounded(arguments: Json) -> Json:
    written = serialise(arguments)
    return arguments if len(written) <= _ARGUMENTS_CHARS else written[:_ARGUMENTS_CHARS] + "…"
