"""How much of each block stands in the gold text."""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from extractor.regions.learned.arrays import Bools, Floats, Ints

_WORD = re.compile(r"\w+")
#: Words in a row that must stand in the gold as they do in the block.
_ROW = 3
#: A block of fewer words is in the gold if it stands there and so many of its longer neighbours do.
_NEIGHBOURS, _NEIGHBOURS_IN = 3, 0.34


def words_of(text: str) -> list[str]:
    """Lower-cased words, as the metrics count them."""
    return [word.lower() for word in _WORD.findall(text)]


def labels(blocks: Sequence[Sequence[str]], gold: Sequence[str]) -> Floats:
    """For each block, given by its words, the share of it that is in the gold: 0 to 1."""
    rows = {tuple(gold[at : at + _ROW]) for at in range(max(0, len(gold) - _ROW + 1))}
    line = f" {' '.join(gold)} "
    found = [_share(words, rows, line) for words in blocks]
    long = [number for number, words in enumerate(blocks) if len(words) >= _ROW]
    for number, words in enumerate(blocks):
        if 0 < len(words) < _ROW and found[number]:
            place = bisect(long, number)
            near = long[max(0, place - _NEIGHBOURS) : place + _NEIGHBOURS]
            if near:
                share = sum(found[each] for each in near) / len(near)
                found[number] = float(share > _NEIGHBOURS_IN)
    return np.asarray(found, dtype=np.float32)


def _share(words: Sequence[str], rows: set[tuple[str, ...]], line: str) -> float:
    if len(words) < _ROW:
        return float(bool(words) and f" {' '.join(words)} " in line)
    own = [tuple(words[at : at + _ROW]) for at in range(len(words) - _ROW + 1)]
    return sum(row in rows for row in own) / len(own)


@dataclass(frozen=True, slots=True)
class Overlap:
    """Words of a page's blocks as numbers, to score a choice of blocks against the gold."""

    block: Ints
    word: Ints
    gold: Ints

    @classmethod
    def of(cls, blocks: Sequence[Sequence[str]], gold: Sequence[str]) -> Overlap:
        """From the words of each block and those of the gold."""
        number: dict[str, int] = {}
        word = [number.setdefault(word, len(number)) for words in blocks for word in words]
        wanted = [number.setdefault(word, len(number)) for word in gold]
        return cls(
            np.repeat(np.arange(len(blocks)), [len(words) for words in blocks]),
            np.asarray(word, dtype=np.int64),
            np.bincount(np.asarray(wanted, dtype=np.int64), minlength=len(number)),
        )

    def f1(self, kept: Bools) -> float:
        """Word F1 of what is kept, as ``testbed.compare.metrics`` has it."""
        given = np.bincount(self.word[kept[self.block]], minlength=len(self.gold))
        both, wanted, whole = np.minimum(given, self.gold).sum(), self.gold.sum(), given.sum()
        if not wanted or not whole:
            return float(wanted == whole)
        return 2 * float(both) / float(wanted + whole)
