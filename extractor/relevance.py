"""How well each unit answers a query: BM25 over blocks and their units, also where no spaces part words."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import regex

from extractor.units import Doc

_WORD = regex.compile(r"[\p{L}\p{N}\p{M}]+")
#: Scripts that write words without spaces between them.
_UNSPACED = regex.compile(
    r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\u30fc]+"
)
#: A block of more units than this is too long for a match somewhere in it to speak for all of it.
BLOCK_UNITS = 12
#: What a match elsewhere in its block is worth to a unit.
BLOCK_SHARE = 0.3

_K1, _B = 1.2, 0.75


def tokens(text: str) -> list[str]:
    """Folded words; runs of unspaced scripts as overlapping pairs of characters."""
    found: list[str] = []
    for word in _WORD.findall(text.casefold()):
        runs = _UNSPACED.findall(word)
        if not runs:
            found.append(word)
            continue
        found += [rest for rest in _UNSPACED.split(word) if rest]
        for run in runs:
            found += [run] if len(run) == 1 else [run[i : i + 2] for i in range(len(run) - 1)]
    return found


def bm25(texts: Sequence[str], query: str) -> list[float]:
    """BM25 of each text for the query (Robertson and Zaragoza, 2009; k1 = 1.2, b = 0.75)."""
    wanted = set(tokens(query))
    bags = [Counter(tokens(text)) for text in texts]
    lengths = [sum(bag.values()) for bag in bags]
    mean = sum(lengths) / max(len(lengths), 1) or 1.0
    scores = [0.0] * len(texts)
    for word in sorted(wanted):
        holding = [i for i, bag in enumerate(bags) if word in bag]
        weight = math.log(1 + (len(bags) - len(holding) + 0.5) / (len(holding) + 0.5))
        for i in holding:
            count = bags[i][word]
            norm = count + _K1 * (1 - _B + _B * lengths[i] / mean)
            scores[i] += weight * count * (_K1 + 1) / norm
    return scores


def relevance(doc: Doc, query: str | None) -> list[float]:
    """A score for each unit, 0 where nothing matches: its own, and part of its block's. Linear."""
    if not query or not tokens(query):
        return [0.0] * doc.units
    texts = [doc.text_of(unit) for unit in range(doc.units)]
    scores = bm25(texts, query)
    blocks = [block for block in blocks_of(doc) if 1 < len(block) <= BLOCK_UNITS]
    joined = bm25([" ".join(texts[unit] for unit in block) for block in blocks], query)
    for block, score in zip(blocks, joined, strict=True):
        for unit in block:
            scores[unit] += BLOCK_SHARE * score
    return scores


def blocks_of(doc: Doc) -> list[range]:
    """Stretches of units that stand in one block."""
    found, start = list[range](), 0
    for unit in range(1, doc.units + 1):
        if unit == doc.units or doc.unit_group[unit] != doc.unit_group[start]:
            found.append(range(start, unit))
            start = unit
    return found
