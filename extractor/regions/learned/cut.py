"""From how likely each block is to which blocks are main: one cut a page."""

from __future__ import annotations

import numpy as np

from extractor.regions.learned.arrays import Bools, Floats

#: The most likely block is kept whatever the cut.
_BELOW_BEST = 0.95


def chosen(likely: Floats, words: Floats, *, base: float, share: float) -> Bools:
    """Which blocks are main: those over ``base`` plus ``share`` of the F1 that the page may be expected
    to reach. With likelihoods that are right, half of the best expected F1 is the best cut (Lipton, Elkan
    and Naryanaswamy, 2014). ``words`` is how much each block says.
    """
    if not len(likely):
        return np.zeros(0, dtype=bool)
    cut = base + share * expected_f1(likely, words)
    kept: Bools = likely >= min(cut, float(likely.max()) * _BELOW_BEST)
    return kept


def expected_f1(likely: Floats, words: Floats) -> float:
    """The best F1 by words that any choice of blocks may be expected to have, likelihoods taken at their
    word."""
    order = np.argsort(-likely, kind="stable")
    right = np.cumsum((likely * words)[order], dtype=np.float64)
    given = np.cumsum(words[order], dtype=np.float64)
    return float((2 * right / np.maximum(given + right[-1], 1e-9)).max())
