"""How well an output agrees with the gold: definitions that published benchmarks use.

Words are ``\\w+``. Word scores compare lower-cased multisets; shingle scores compare multisets of
four words in a row, as the article-extraction benchmark of Scrapinghub does. Passages are looked
for verbatim after white space is joined and case folded.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from testbed.compare.pages import Gold

_WORD = re.compile(r"\w+")
_SPACE = re.compile(r"\s+")
_SENTENCE = re.compile(r"[^\n.!?。！？]{40,300}[.!?。！？]")
_SHINGLE = 4
#: Sentences drawn from a gold text that has no passages of its own.
SEEDED_SENTENCES = 8


@dataclass(frozen=True, slots=True)
class Agreement:
    """Shares between 0 and 1, ``None`` where the gold has nothing to say, with the counts of passages."""

    precision: float | None = None
    recall: float | None = None
    f1: float | None = None
    shingle_precision: float | None = None
    shingle_recall: float | None = None
    wanted: float | None = None
    unwanted: float | None = None
    retention: float | None = None
    fields: float | None = None
    wanted_hits: int = 0
    wanted_count: int = 0
    unwanted_hits: int = 0
    unwanted_count: int = 0

    @property
    def shingle_f1(self) -> float | None:
        """Harmonic mean of this page's two shingle shares."""
        if self.shingle_precision is None or self.shingle_recall is None:
            return None
        return harmonic(self.shingle_precision, self.shingle_recall)


def agreement(gold: Gold, output: str) -> Agreement:
    """Every measure of one output against its gold."""
    held = _squeezed(output)
    wanted, unwanted = _hits(gold.wanted, held), _hits(gold.unwanted, held)
    precision, recall, f1 = _word_scores(gold.text, output)
    shingle_precision, shingle_recall = _shingle_scores(gold.text, output)
    return Agreement(
        precision=precision,
        recall=recall,
        f1=f1,
        shingle_precision=shingle_precision,
        shingle_recall=shingle_recall,
        wanted=_share(wanted, len(gold.wanted)),
        unwanted=_share(unwanted, len(gold.unwanted)),
        retention=_share(_hits(passages := answers(gold), held), len(passages)),
        fields=_fields(gold, held),
        wanted_hits=wanted,
        wanted_count=len(gold.wanted),
        unwanted_hits=unwanted,
        unwanted_count=len(gold.unwanted),
    )


def answers(gold: Gold) -> tuple[str, ...]:
    """What a reader may have come for: the wanted passages, else seeded sentences of the text."""
    if gold.wanted or not gold.text:
        return gold.wanted
    sentences = [found[0].strip() for found in _SENTENCE.finditer(gold.text)]
    if len(sentences) <= SEEDED_SENTENCES:
        return tuple(sentences)
    return tuple(random.Random(len(gold.text)).sample(sentences, SEEDED_SENTENCES))


def harmonic(one: float, other: float) -> float:
    """Harmonic mean of two shares, 0 when either is 0."""
    return 2 * one * other / (one + other) if one and other else 0.0


def _word_scores(gold: str | None, output: str) -> tuple[float | None, ...]:
    if gold is None:
        return None, None, None
    wanted = [word.lower() for word in _WORD.findall(gold)]
    given = [word.lower() for word in _WORD.findall(output)]
    if not wanted or not given:
        same = 1.0 if wanted == given else 0.0
        return same, same, same
    common = (Counter(wanted) & Counter(given)).total()
    precision, recall = common / len(given), common / len(wanted)
    return precision, recall, harmonic(precision, recall)


def _shingle_scores(gold: str | None, output: str) -> tuple[float | None, float | None]:
    if gold is None:
        return None, None
    wanted, given = _shingles(_WORD.findall(gold)), _shingles(_WORD.findall(output))
    common = (wanted & given).total()
    if wanted == given:
        return (1.0, 1.0) if wanted else (None, None)
    precision = common / given.total() if given else None
    recall = common / wanted.total() if wanted else None
    return precision, recall


def _shingles(words: Sequence[str]) -> Counter[tuple[str, ...]]:
    starts = range(max(1, len(words) - _SHINGLE + 1)) if words else ()
    return Counter(tuple(words[start : start + _SHINGLE]) for start in starts)


def _hits(passages: Sequence[str], held: str) -> int:
    return sum(_squeezed(each) in held for each in passages)


def _share(hits: int, of: int) -> float | None:
    return hits / of if of else None


def _fields(gold: Gold, held: str) -> float | None:
    if not gold.fields:
        return None
    hits = [any(_squeezed(each) in held for each in ways) for ways in gold.fields.values()]
    return sum(hits) / len(hits)


def _squeezed(text: str) -> str:
    return _SPACE.sub(" ", text).strip().lower()
