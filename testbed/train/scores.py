"""Which words speak for main content, counted by site so that no page is told by its own site.

For each word, the mean over sites of how much main content it goes with; a word's score is the logarithm
of odds against the mean of all words.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from extractor.regions.learned.arrays import Ints
from extractor.regions.learned.wording import parts_of
from testbed.train.samples import Sample

#: By site, by word: the share of main content that it goes with there.
Shares = Mapping[str, Mapping[str, float]]

#: Sites of which a mean is pretended that every word has been seen on, so that rare ones say little.
_PRIOR = 3.0
#: Scores nearer to 0 than this are not worth their place.
_FLOOR = 0.25
#: A name around so much of the page's words says nothing of its parts.
_WHOLE = 0.97


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of word: how to count it, on how many sites it must have been seen, and how many are kept."""

    count: Callable[[Sample], Iterator[tuple[str, float]]]
    least_sites: int
    most: int


def name_parts(sample: Sample) -> Iterator[tuple[str, float]]:
    """Words of class names, each with the share of main words in the elements so named."""
    arrays, blocks = sample.measured.arrays, sample.measured.blocks
    size = len(arrays)
    main = np.bincount(blocks.node, weights=sample.label * sample.size, minlength=size)
    words = np.bincount(blocks.node, weights=sample.size, minlength=size)
    held = _subtrees(main, arrays.end)
    whole = _subtrees(words, arrays.end)
    for name, nodes in sample.measured.names.items():
        inner = [node for node in nodes if 0 < whole[node] < _WHOLE * whole[0]]
        if inner:
            share = float(np.mean(held[inner] / whole[inner]))
            yield from ((part, share) for part in dict.fromkeys(parts_of(name)))


def first_words(sample: Sample) -> Iterator[tuple[str, float]]:
    """Words that blocks begin with, each with the block's label."""
    blocks = sample.measured.blocks
    for words, label in zip(blocks.first_words, sample.label.tolist(), strict=True):
        yield from ((word, label) for word in dict.fromkeys(words))


NAMES = Kind(name_parts, least_sites=6, most=2_000)
WORDS = Kind(first_words, least_sites=8, most=4_000)


def shares_of(samples: Iterable[Sample], kind: Kind) -> Shares:
    """Means by site and word."""
    sums: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(lambda: [0.0, 0.0]))
    for sample in samples:
        own = sums[sample.site]
        for word, share in kind.count(sample):
            entry = own[word]
            entry[0] += share
            entry[1] += 1
    return {
        site: {word: total / count for word, (total, count) in words.items()}
        for site, words in sums.items()
    }


class Table:
    """Scores from some sites, and the same with one of them left out."""

    def __init__(self, shares: Shares, sites: Iterable[str], kind: Kind) -> None:
        self._shares = {site: shares[site] for site in sorted(set(sites)) if site in shares}
        self._least = kind.least_sites
        self._sum: dict[str, float] = defaultdict(float)
        self._count: dict[str, int] = defaultdict(int)
        for words in self._shares.values():
            for word, share in words.items():
                self._sum[word] += share
                self._count[word] += 1
        self._mean = sum(self._sum.values()) / max(sum(self._count.values()), 1)
        found = {
            word: score
            for word, count in self._count.items()
            if count >= self._least and abs(score := self._score(self._sum[word], count)) >= _FLOOR
        }
        telling = sorted(
            found, key=lambda word: (-abs(found[word]) * math.sqrt(self._count[word]), word)
        )
        #: All scores, by word.
        self.scores = {word: found[word] for word in sorted(telling[: kind.most])}

    def without(self, site: str) -> dict[str, float]:
        """Scores as they are when a site was never seen."""
        found = dict(self.scores)
        for word, share in self._shares.get(site, {}).items():
            if word not in found:
                continue
            count = self._count[word] - 1
            score = self._score(self._sum[word] - share, count)
            if count >= self._least - 1 and abs(score) >= _FLOOR:
                found[word] = score
            else:
                del found[word]
        return found

    def _score(self, total: float, count: int) -> float:
        share = (total + _PRIOR * self._mean) / (count + _PRIOR)
        share, mean = min(max(share, 0.01), 0.99), min(max(self._mean, 0.01), 0.99)
        return round(math.log(share / (1 - share)) - math.log(mean / (1 - mean)), 2)


def _subtrees(values: npt.ArrayLike, end: Ints) -> npt.NDArray[np.float64]:
    sums = np.concatenate([[0.0], np.cumsum(values, dtype=np.float64)])
    found: npt.NDArray[np.float64] = sums[end] - sums[:-1]
    return found
