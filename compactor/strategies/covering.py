"""Older messages under one summary, with the facts that they held beside it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise

from compactor.cost import cost
from compactor.estimate import estimate_tokens
from compactor.facts import facts_of, listing, texts_of
from compactor.folds.reasoning import fold_reasoning
from compactor.folds.turns import fold_turns
from compactor.groups import turns
from compactor.kit import NOTE_OVERHEAD
from compactor.messages import FACTS, SUMMARY, Block, Message, entries, is_summary
from compactor.older import older, put_summary
from compactor.report import Change
from compactor.strategies.goal import goal_of
from compactor.strategies.replies import statements
from compactor.strategies.results import put, used_results
from compactor.strategies.single import folded
from compactor.strategies.work import Outcome, Work, calls_of
from compactor.summarise import FOCUSES, Focus, SummaryRequest, statements_of
from compactor.thought import whole_or_none
from compactor.trust import Statement, framed

_MOST_LINES = 20


def rolling(history: Sequence[Message], work: Work) -> Outcome:
    """The newest turns stay word for word; one running summary stands for all before them.

    It is renewed when enough turns have come together behind it, and never exceeds its bound.
    """
    rule = work.rule
    spoken = [group for group in turns(history) if history[group.start].role == "assistant"]
    if len(spoken) < rule.keep_turns + rule.renew_turns:
        return Outcome(list(history))
    keep = len(history) - spoken[-rule.keep_turns].start
    covered = older(history, keep, work.policy)
    return cover(history, covered, work, why="rolling")


def conditional(history: Sequence[Message], work: Work) -> Outcome:
    """A summary of all but the newest messages, only when the history is over the trigger."""
    return _over_trigger(history, work, why="conditional")


def focused(history: Sequence[Message], work: Work) -> Outcome:
    """As ``conditional``, in four summaries: decisions, state, knowledge, errors."""
    return _over_trigger(history, work, why="focused", focuses=FOCUSES)


def _over_trigger(
    history: Sequence[Message], work: Work, *, why: str, focuses: Sequence[Focus] = ("",)
) -> Outcome:
    if not _due(history, work):
        return Outcome(list(history))
    first = _folded_first(history, work)
    if first.changes and not _due(first.history, work):
        return first
    covered = older(first.history, work.rule.keep_messages, work.policy)
    made = cover(first.history, covered, work, why=why, focuses=focuses)
    return replace(made, changes=[*first.changes, *made.changes])


def _due(history: Sequence[Message], work: Work) -> bool:
    rule = work.rule
    if rule.trigger_tokens is not None:
        return sum(estimate_tokens(text) for text in texts_of(history)) > rule.trigger_tokens
    return work.share(history) >= rule.trigger_share


def _folded_first(history: Sequence[Message], work: Work) -> Outcome:
    """Reversible folds come before any summary."""
    if not work.rule.fold:
        return Outcome(list(history))
    out, changes = fold_reasoning(history, work.archive, keep=work.rule.keep_messages)
    places = {}
    for used in used_results(out, work):
        made = folded(used, work)
        if made is not None:
            places[used.message, used.block] = made
    return Outcome(out, [*changes, *put(out, places)])


def cover(
    history: Sequence[Message],
    covered: Sequence[Message],
    work: Work,
    *,
    why: str,
    focuses: Sequence[Focus] = ("",),
) -> Outcome:
    """One summary in the place of some messages, or no change where it would not be smaller."""
    if not covered:
        return Outcome(list(history))
    record = tuple(statements_of(covered, work.archive))
    size = sum(estimate_tokens(text) for text in texts_of(covered))
    parts: dict[Focus, list[Statement]] = {}
    notes: list[str] = []
    authors: list[str] = []
    for focus in focuses:
        most = work.rule.result_tokens if focus else work.rule.most_tokens
        request = SummaryRequest(
            record, min(most, max(1, size)), goal_of(history), focus, stale=work.stale
        )
        parts[focus], by, said = statements(request, work, lambda _: True)
        notes += said
        authors.append(by)
    if not any(parts.values()):
        # Nothing was worth a sentence: each turn keeps the line that says what was called.
        lines = fold_turns(covered, work.archive, level=2)
        parts = {"": [Statement("assistant", line) for line in lines[-_MOST_LINES:]]}
        authors = ["turns"]
    raws = [raw for message in covered for _, raw in message.members]
    ref = work.archive.put(raws)
    text = _text(parts, len(raws), ref)
    out = put_summary(history, entries(covered), text)
    assert out is not None  # they stand in it
    if _unpaired(out) - _unpaired(history) or _parted(history, covered):
        # Items of one turn that were not joined: a call would be covered and its result not.
        return Outcome(
            list(history), notes=(*notes, "refused: it would part items that belong together")
        )
    out = _with_facts(out, text, covered, work)
    standing = set(map(id, out))
    gone = [message for message in history if id(message) not in standing]
    before = sum(estimate_tokens(text) for text in texts_of(gone))
    after = sum(estimate_tokens(text) for text in texts_of(filter(is_summary, out)))
    if after >= before or _chars(filter(is_summary, out)) >= _chars(gone):
        return Outcome(list(history), notes=(*notes, f"refused: {after} tokens for {before}"))
    changes = _changes(gone, ref, f"{why} by {', '.join(dict.fromkeys(authors))}")
    drop_all = work.policy.drop_signed_after_cut
    out, unsigned = whole_or_none(history, out, work.archive, drop_all=drop_all)
    return Outcome(out, [*changes, *unsigned], tuple(notes))


def _unpaired(history: Sequence[Message]) -> set[str]:
    """Ids of calls without a result, and of results without a call."""
    calls = {call.id for message in history for call in message.calls}
    return calls ^ {result.id for message in history for result in message.results}


def _parted(history: Sequence[Message], covered: Sequence[Message]) -> bool:
    """Whether a thought would be covered that the entry behind it, which stays, belongs to."""
    gone = set(map(id, covered))
    return any(
        id(one) in gone
        and id(other) not in gone
        and one.role == other.role == "assistant"
        and all(block.kind == "thinking" for block in one.blocks)
        for one, other in pairwise(history)
    )


def _chars(messages: Iterable[Message]) -> int:
    """What messages cost at least: as they came, or as a format must wrap their texts."""
    return sum(
        sum(cost(raw) for _, raw in message.members)
        if message.members
        else NOTE_OVERHEAD + sum(cost(text) for text in texts_of([message]))
        for message in messages
    )


def _text(parts: dict[Focus, list[Statement]], count: int, ref: str) -> str:
    if "" in parts:
        return framed(parts[""], count, ref)
    lines = [framed([], count, ref)]
    for focus, made in parts.items():
        if made:
            lines += [f"[{focus}]", *(f"> {one.line}" for one in made)]
    return "\n".join(lines)


def _changes(gone: Sequence[Message], ref: str, why: str) -> list[Change]:
    return [
        Change(
            "summarise",
            seq,
            ref,
            sum(map(len, texts_of([message]))) // len(message.members),
            0,
            why,
        )
        for message in gone
        for seq in sorted(entries([message]))
    ]


def _with_facts(
    history: list[Message], text: str, covered: Sequence[Message], work: Work
) -> list[Message]:
    """The summary with the listing of facts behind it: of all entries that stand in the context no more."""
    own = {seq: work.archive.put(raw) for message in covered for seq, raw in message.members}
    tools = {name: tool for name, (tool, _) in calls_of(covered).items()}
    facts = work.facts if work.facts is not None else facts_of(covered, tools)
    made = listing(
        facts, lambda seq: own.get(seq) or work.ref_of(seq), texts_of(history), work.facts_chars
    )
    if not made:
        return history
    at = next(i for i, m in enumerate(history) if m.seq < 0 and _says(m, text))
    blocks = (*history[at].blocks, Block("text", text=made, name=FACTS))
    history[at] = replace(history[at], blocks=blocks)
    return history


def _says(message: Message, text: str) -> bool:
    return any(block.name == SUMMARY and block.text == text for block in message.blocks)
