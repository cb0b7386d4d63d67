"""How sure a mean is: bootstrap intervals and paired tests, seeded, so two runs agree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

_SEED = 20_260
_DRAWS = 2_000


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean over pages with its 95 % interval from ``_DRAWS`` resamplings of the pages."""

    value: float
    low: float
    high: float
    pages: int


def mean(values: Sequence[float | None]) -> Mean | None:
    """The mean of what is there; ``None`` when nothing is."""
    there = np.asarray([each for each in values if each is not None], dtype=np.float64)
    if not there.size:
        return None
    draws = there[_draws(there.size)].mean(axis=1)
    low, high = np.quantile(draws, (0.025, 0.975))
    return Mean(float(there.mean()), float(low), float(high), int(there.size))


def paired(ours: Sequence[float | None], theirs: Sequence[float | None]) -> Mean | None:
    """The mean difference, page by page, over the pages that both have; positive when ours leads."""
    pairs = zip(ours, theirs, strict=True)
    return mean([one - two for one, two in pairs if one is not None and two is not None])


def p_value(ours: Sequence[float | None], theirs: Sequence[float | None]) -> float | None:
    """Two-sided sign-flip permutation test of the paired differences."""
    pairs = zip(ours, theirs, strict=True)
    both = [one - two for one, two in pairs if one is not None and two is not None]
    if not both:
        return None
    gaps = np.asarray(both, dtype=np.float64)
    flips = np.random.default_rng(_SEED).integers(0, 2, size=(_DRAWS, gaps.size)) * 2 - 1
    as_far = np.abs((flips * gaps).mean(axis=1)) >= abs(gaps.mean()) - 1e-12
    return float((as_far.sum() + 1) / (_DRAWS + 1))


def _draws(size: int) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
    return np.random.default_rng(_SEED).integers(0, size, size=(_DRAWS, size))
