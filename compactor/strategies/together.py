"""A batch of results in one summary: without citations, or with one for each statement."""

from __future__ import annotations

from collections.abc import Sequence

from compactor.cost import cost
from compactor.messages import SUMMARISED, Block, Message
from compactor.report import Change
from compactor.strategies.goal import goal_of
from compactor.strategies.replies import statements
from compactor.strategies.results import Used, put, shortened, size_of, used_results
from compactor.strategies.single import folded, statement_of
from compactor.strategies.work import Outcome, Work
from compactor.summarise import SummaryRequest
from compactor.trust import Statement

_LEAST = 2


def combined(history: Sequence[Message], work: Work) -> Outcome:
    """The used results in one summary, which stands in the place of the first; the others name it."""
    return _batch(history, work, goal="", cite=False, why="combined")


def cited(history: Sequence[Message], work: Work) -> Outcome:
    """As ``combined``, for what the user asks for now, each statement with the ref it rests on.

    A statement whose ref does not resolve, or does not stand in the record, is rejected.
    """
    return _batch(history, work, goal=goal_of(history), cite=True, why="cited")


def _batch(history: Sequence[Message], work: Work, *, goal: str, cite: bool, why: str) -> Outcome:
    rule, out = work.rule, list(history)
    places: dict[tuple[int, int], tuple[Block, Change]] = {}
    rest: list[Used] = []
    for used in used_results(history, work):
        made = folded(used, work) if rule.fold else None
        if made is not None:
            places[used.message, used.block] = made
        else:
            rest.append(used)
    if len(rest) < (1 if cite else _LEAST):
        return Outcome(out, put(out, places))
    record = tuple(statement_of(used, work) for used in rest)
    most = min(rule.most_tokens, rule.result_tokens * len(rest))
    request = SummaryRequest(record, most, goal=goal, cite=cite, stale=work.stale)
    size = sum(size_of(used.result) for used in rest)
    said, by, notes = statements(request, work, lambda made: cost(_body(made, cite=cite)) < size)
    if said:
        places |= _placed(rest, _body(said, cite=cite), work, why=f"{why} by {by}")
    return Outcome(out, put(out, places), notes)


def _body(made: Sequence[Statement], *, cite: bool) -> str:
    lines = (f"> {one.line} (ref={one.ref})" if cite else f"> {one.line}" for one in made)
    return "\n".join(lines)


def _placed(
    rest: Sequence[Used], body: str, work: Work, *, why: str
) -> dict[tuple[int, int], tuple[Block, Change]]:
    """Every result of the batch with its line, the summary in the largest of the first ones; none
    where the summary fits in no place.
    """
    host = next((used for used in rest if size_of(used.result) > cost(body) + 160), None)
    if host is None:
        return {}
    places = {}
    for used in rest:
        tool = used.tool or "a tool"

        def said(ref: str, used: Used = used, tool: str = tool) -> str:
            if used is host:
                head = f"[summary of {len(rest)} results, this one of {tool} among them, ref={ref}]"
                return f"{head}\n{body}"
            return f"[result of {tool}: summarised together with call {host.result.id}, ref={ref}]"

        made = shortened(used, said, work.archive, why=why, mark=SUMMARISED)
        if made is not None:
            places[used.message, used.block] = made
    return places
