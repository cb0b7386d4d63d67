"""A summary of sentences that stand in the record: deterministic, without a model.

A sentence is worth what it holds: decisions, open items, errors, values, paths, names, and words of the
goal. What only repeats another one, or quotes a value that was replaced, is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from compactor.estimate import estimate_tokens
from compactor.facts import KINDS, FactRule, Facts
from compactor.facts.reading import facts_in
from compactor.facts.tokens import split_words
from compactor.messages import Block, Message
from compactor.summarise import SummaryRequest
from compactor.trust import Statement, one_line

_WORTH = {
    "constraint": 9.0,
    "decision": 8.0,
    "error": 6.0,
    "value": 4.0,
    "command": 3.0,
    "number": 2.0,
    "url": 2.0,
    "path": 2.0,
    "identifier": 1.0,
}
assert _WORTH.keys() == set(KINDS)
_OPEN = re.compile(
    r"\b(?:todo|to do|next(?: step)?|remaining|pending|open|blocked|still|not yet|unresolved|follow-up|"
    r"need(?:s|ed)? to)\b|待办|下一步|未完成",
    re.IGNORECASE,
)
_DONE = re.compile(
    r"\b(?:done|fixed|finished|completed?|passed|works|created|added|removed|found|because|caused?)\b|完成|修复|发现",
    re.IGNORECASE,
)
_FOCUS = {
    "decision": ("constraint", "decision"),
    "state": ("path", "command", "value"),
    "knowledge": ("value", "number", "url", "identifier", "path"),
    "error": ("error",),
}
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[^\s\da-z])|(?<=[。！？])|[\r\n]+")
_WORDS = re.compile(r"\w+")
_LONGEST = 320
_LEAST_WORDS = 2
_MOST_UNITS = 20_000


@dataclass(frozen=True, slots=True)
class _Unit:
    place: int
    statement: Statement
    text: str
    score: float


def extractive(request: SummaryRequest) -> str:
    """The sentences that a later turn needs most, each with the label of its source, in their order.

    At most ``request.most_tokens`` tokens; empty where nothing of the record is worth a line. With
    ``cite`` only sentences whose ref is known, each with it. Linear in the record but for sorting.
    """
    goal = {word for word in _WORDS.findall(request.goal.casefold()) if len(word) > 2}
    stale = _stale(request.statements) | request.stale
    units = list(_units(request, goal))
    chosen: list[_Unit] = []
    covered: set[str] = set()
    room = request.most_tokens
    for unit in sorted(units, key=lambda one: (-one.score, one.place)):
        words = set(_WORDS.findall(re.sub(r"\d+", "0", unit.text.casefold())))
        fresh = words - covered
        telling = unit.score >= _WORTH["error"]
        if not fresh and not telling or len(fresh) * 5 < len(words) and not telling:
            continue
        if stale and any(word in stale for word in split_words(unit.text)):
            continue
        tokens = estimate_tokens(_line(unit, cite=request.cite)) + 1
        if tokens > room:
            continue
        room -= tokens
        covered |= words
        chosen.append(unit)
    lines = (_line(unit, cite=request.cite) for unit in sorted(chosen, key=lambda one: one.place))
    return "\n".join(dict.fromkeys(lines))


def _line(unit: _Unit, *, cite: bool) -> str:
    line = f"{unit.statement.source}: {unit.text}"
    return f"{line} (ref={unit.statement.ref})" if cite else line


def _stale(statements: Sequence[Statement]) -> frozenset[str]:
    """Values that the record itself replaces later."""
    facts, tools = Facts(FactRule(most_facts=4_000)), {}
    for seq, one in enumerate(statements):
        tool = one.source.startswith("tool")
        tools[str(seq)] = one.source.partition(":")[2]
        role = "assistant" if one.source == "assistant" else "user"
        kind = "tool_result" if tool else "text"
        block = Block(kind, text=one.lines or one.text, id=str(seq))  # type: ignore[arg-type]
        facts = facts.after(Message(role, (block,), seq=seq), tools)  # type: ignore[arg-type]
    return frozenset(facts.stale)


def _units(request: SummaryRequest, goal: set[str]) -> Iterator[_Unit]:
    place = 0
    for statement in request.statements:
        if request.cite and not statement.ref:
            continue
        sentences = list(_sentences(statement.lines or statement.text))
        for index, sentence in enumerate(sentences):
            edge = index in (0, len(sentences) - 1)
            score = _score(sentence, statement.source, request.focus)
            if goal and score >= 0:
                said = set(_WORDS.findall(sentence.casefold()))
                score += 9.0 * len(goal & said) / max(1, min(len(goal), 8))
            score += 0.5 * edge
            # Later ones win among equals: they are nearer to where the work is now.
            if score > 0:
                yield _Unit(place, statement, sentence, score)
            place += 1
            if place >= _MOST_UNITS:
                return


def _sentences(text: str) -> Iterator[str]:
    for piece in _SENTENCE.split(text):
        sentence = one_line(piece)
        if len(sentence) > _LONGEST:
            sentence = sentence[:_LONGEST].rsplit(" ", 1)[0]
        if len(_WORDS.findall(sentence)) >= _LEAST_WORDS or len(sentence) > 8:
            yield sentence


@lru_cache(maxsize=4_096)  # a running summary is read again each time it is renewed
def _score(sentence: str, source: str, focus: str) -> float:
    counts: dict[str, int] = dict.fromkeys(KINDS, 0)
    for found in facts_in(sentence, source, _LONGEST):
        counts[found.kind] += 1
    wanted = _FOCUS.get(focus, tuple(KINDS))
    score: float = sum(_WORTH[kind] * min(counts[kind], 3) for kind in wanted)
    if focus in ("", "state"):
        score += 5.0 * (_OPEN.search(sentence) is not None and not source.startswith("tool"))
        score += 3.0 * (_DONE.search(sentence) is not None and not source.startswith("tool"))
    if focus and not score:
        return -1.0
    if source.startswith("tool"):
        score *= 0.7
    return score / max(1.0, len(sentence) / 160)
