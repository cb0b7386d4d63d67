"""The known ways in which a context fails, looked for in one: by counting, without a model.

The names are those of D. Breunig, "How Long Contexts Fail" (2025): poisoning, distraction, confusion, clash.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Literal

import regex

from compactor.cost import serialise
from compactor.errors import InvalidRequest
from compactor.facts import FactRule
from compactor.facts.reading import read_facts
from compactor.facts.values import is_update, weighty
from compactor.messages import ANCHOR, JsonObject, Message

Ailment = Literal["poisoning", "distraction", "confusion", "clash", "cost", "latency"]
_SENTENCE = regex.compile(r"[^.!?。！？\n]+")
_SHOWN_CHARS = 120


@dataclass(frozen=True, slots=True)
class DiagnosisRule:
    """Thresholds.

    Attributes:
        claim_times: a claim that the assistant makes so often, and nobody else ever, is poison.
        claim_chars: shorter sentences are no claims.
        action_times: the same call with the same arguments so often is a distraction ...
        action_calls: ... among so many newest calls.
        most_tools: more tools than this confuse.
        trend_factor: cost or latency is rising when the newest third is so many times the oldest.
        trend_least: fewer numbers than this show no trend.
    """

    claim_times: int = 3
    claim_chars: int = 30
    action_times: int = 3
    action_calls: int = 20
    most_tools: int = 30
    trend_factor: float = 1.5
    trend_least: int = 9

    def __post_init__(self) -> None:
        least = {"claim_times": 2, "claim_chars": 1, "action_times": 2, "action_calls": 2}
        for name, value in {**least, "most_tools": 0, "trend_least": 3}.items():
            if getattr(self, name) < value:
                raise InvalidRequest(f"{name} must be at least {value}.", field=name)
        if self.trend_factor <= 1:
            raise InvalidRequest("trend_factor must be over 1.", field="trend_factor")


@dataclass(frozen=True, slots=True)
class Symptom:
    """One finding: ``measure`` is over ``limit``; ``messages`` are the entries that show it."""

    ailment: Ailment
    detail: str
    measure: float
    limit: float
    messages: tuple[int, ...] = ()

    def as_json(self) -> JsonObject:
        """Plain JSON."""
        return {**asdict(self), "messages": list(self.messages)}


def poisoning(history: Sequence[Message], rule: DiagnosisRule) -> list[Symptom]:
    """Claims that the assistant repeats and that neither a user nor a tool ever said. Linear."""
    said: dict[str, list[int]] = {}
    evidence: list[str] = []
    for message in history:
        for block in message.blocks:
            if block.name == ANCHOR:
                continue
            texts = (block.text, *(part.text for part in block.parts or ()))
            if message.role != "assistant":
                evidence += map(_plain, texts)
            elif block.kind == "text":
                claims = dict.fromkeys(_plain(s) for s in _SENTENCE.findall(block.text))
                for claim in claims:
                    if len(claim) >= rule.claim_chars:
                        said.setdefault(claim, []).append(message.seq)
    known = "\n".join(evidence)
    return [
        Symptom("poisoning", _shown(claim), len(seqs), rule.claim_times, tuple(seqs))
        for claim, seqs in said.items()
        if len(seqs) >= rule.claim_times and claim not in known
    ]


def distraction(history: Sequence[Message], rule: DiagnosisRule) -> list[Symptom]:
    """The same call with the same arguments, again and again, among the newest. Linear."""
    calls = [(m.seq, call) for m in history for call in m.calls][-rule.action_calls :]
    done: dict[str, list[int]] = {}
    for seq, call in calls:
        done.setdefault(f"{call.name}({serialise(call.input)})", []).append(seq)
    return [
        Symptom("distraction", _shown(action), len(seqs), rule.action_times, tuple(seqs))
        for action, seqs in done.items()
        if len(seqs) >= rule.action_times
    ]


def confusion(tools: int, rule: DiagnosisRule) -> list[Symptom]:
    """More tools on offer than models tell apart."""
    if tools <= rule.most_tools:
        return []
    return [Symptom("confusion", f"{tools} tools are on offer", tools, rule.most_tools)]


def clash(history: Sequence[Message], tools: Mapping[str, str]) -> list[Symptom]:
    """Subjects with several values that all stand in the context. Linear in its facts.

    What one and the same tool says at different times are readings, and no clash.
    """
    rule = FactRule()
    values: dict[str, dict[str, tuple[int, str]]] = {}
    for message in history:
        for source, found in read_facts(message, tools, rule.text_chars, rule.scan_chars):
            if found.kind != "value" or not found.subject or not weighty(found.value):
                continue
            if is_update(found.text) or " " in found.subject:
                values.setdefault(found.subject, {})[found.value] = (message.seq, source)
    symptoms = []
    for subject, known in values.items():
        sources = {source for _, source in known.values()}
        readings = len(sources) == 1 and all(source.startswith("tool") for source in sources)
        if len(known) > 1 and not readings:
            seqs = tuple(seq for seq, _ in known.values())
            detail = _shown(f"{subject}: {' / '.join(known)}")
            symptoms.append(Symptom("clash", detail, len(known), 1, seqs))
    return symptoms


def trend(
    ailment: Literal["cost", "latency"], numbers: Sequence[float], rule: DiagnosisRule
) -> list[Symptom]:
    """Whether the newest third of some numbers, oldest first, is much above the oldest third."""
    if len(numbers) < rule.trend_least:
        return []
    third = len(numbers) // 3
    first, last = sum(numbers[:third]) / third, sum(numbers[-third:]) / third
    if first <= 0 or last < rule.trend_factor * first:
        return []
    detail = f"{ailment} a request rose from {first:,.3g} to {last:,.3g}"
    return [Symptom(ailment, detail, round(last / first, 3), rule.trend_factor)]


def most_called(history: Sequence[Message]) -> Counter[str]:
    """How often each tool was called."""
    return Counter(call.name for message in history for call in message.calls)


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold().strip(" -*>#\"'`")


def _shown(text: str) -> str:
    return text if len(text) <= _SHOWN_CHARS else text[: _SHOWN_CHARS - 1] + "…"
