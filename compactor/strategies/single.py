"""Each result alone: folded where it has a structure, summarised else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from compactor.cost import cost
from compactor.facts.reading import source_of
from compactor.folds.reasoning import fold_reasoning
from compactor.folds.result import fold_result
from compactor.messages import SUMMARISED, Block, Message
from compactor.report import Change
from compactor.strategies.goal import goal_of
from compactor.strategies.replies import statements
from compactor.strategies.results import (
    Used,
    original_of,
    put,
    ref_of,
    shortened,
    size_of,
    used_results,
)
from compactor.strategies.work import Outcome, Work
from compactor.summarise import SummaryRequest
from compactor.trust import Statement, one_line

Made = tuple[Block, Change]


def individual(history: Sequence[Message], work: Work) -> Outcome:
    """Each used result becomes a summary of its own, in its place."""
    return each(history, work, goal="", why="individual")


def task_aware(history: Sequence[Message], work: Work) -> Outcome:
    """As ``individual``, the summaries written for what the user asks for now."""
    return each(history, work, goal=goal_of(history), why="task_aware")


def windowed(history: Sequence[Message], work: Work) -> Outcome:
    """Nothing below the trigger; then every used result that was not compressed before, in one batch.

    What was compressed is marked by its block and never compressed again.
    """
    if work.share(history) < work.rule.trigger_share:
        return Outcome(list(history))
    everything = replace(work, rule=replace(work.rule, keep_results=0))
    return each(history, everything, goal="", why="windowed")


def each(
    history: Sequence[Message], work: Work, *, goal: str, why: str, marked: str = ""
) -> Outcome:
    """Every used result made shorter by itself; with ``marked`` only those of that mark. Linear."""
    places: dict[tuple[int, int], Made] = {}
    notes: list[str] = []
    for used in used_results(history, work, marked=bool(marked)):
        if marked and used.result.name != marked:
            continue
        made = folded(used, work) if work.rule.fold else None
        if made is None:
            made, said = _summarised(used, work, goal, why)
            notes += said
        if made is not None:
            places[used.message, used.block] = made
    out, changes = list(history), list[Change]()
    if work.rule.fold:
        out, changes = fold_reasoning(history, work.archive)
    return Outcome(out, [*changes, *put(out, places)], tuple(notes))


def folded(used: Used, work: Work, *, always: bool = False, why: str = "") -> Made | None:
    """The result as its structure, if it has one; with ``always`` as an outline, if it has none."""
    text = original_of(used.result, work.archive)
    fold = fold_result(text, used.tool, used.given, always=always)
    if fold is None:
        return None
    return shortened(used, fold.text, work.archive, why=why or f"fold:{fold.kind}")


def statement_of(used: Used, work: Work) -> Statement:
    """A result as a line of a record, with the ref of its original."""
    text = original_of(used.result, work.archive)
    return Statement(source_of(used.tool), one_line(text), ref_of(used.result, work.archive), text)


def head_of(used: Used, by: str, ref: str) -> str:
    """The first line of what stands for a result."""
    tool = used.tool or "a tool"
    author = by.partition(" ")[0]
    size = size_of(used.result)
    return f"[summary of the result of {tool}, {size:,} characters, by {author}, ref={ref}]"


def _summarised(used: Used, work: Work, goal: str, why: str) -> tuple[Made | None, tuple[str, ...]]:
    request = SummaryRequest(
        (statement_of(used, work),), work.rule.result_tokens, goal, stale=work.stale
    )
    size = size_of(used.result)

    def text(made: list[Statement], by: str, ref: str) -> str:
        # In a tool's result every line is the tool's: no label can lift it out.
        return "\n".join((head_of(used, by, ref), *(f"> {one.text}" for one in made)))

    made, by, notes = statements(
        request, work, lambda made: cost(text(made, work.rule.name, "a:" + "0" * 12)) < size
    )
    if not made:
        return None, notes
    block = shortened(
        used,
        lambda ref: text(made, by, ref),
        work.archive,
        why=f"{why} by {by}",
        mark=SUMMARISED,
    )
    return block, notes
