"""Why the model took a region's text for main content or for something else."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from extractor.regions.learned.decide import Judgement

#: Features that are named for a region.
MOST = 3


class Reasons:
    """Names the features that decided, by region; worked out when first asked for."""

    def __init__(self, judged: Judgement, role_of: list[int]) -> None:
        self._judged, self._role_of = judged, role_of

    def of(self, region: int) -> tuple[str, ...]:
        """``model:feature+1.2``: how far a feature moved the log odds of the region's own text to be main
        content, on average by characters; the strongest first. Text in a region within counts there.
        """
        blocks = self._judged.measured.blocks
        own = self._regions == region
        if not own.any():
            return ()
        moved = np.average(self._moved[:, own], axis=1, weights=blocks.chars[own])
        first = np.argsort(-np.abs(moved), kind="stable")[:MOST]
        names = self._judged.weights.blocks.names
        return tuple(
            f"model:{names[feature]}{moved[feature]:+.1f}"
            for feature in first.tolist()
            if abs(moved[feature]) >= 0.05
        )

    @cached_property
    def _moved(self) -> npt.NDArray[np.float64]:
        return self._judged.weights.blocks.moved(self._judged.matrix)

    @cached_property
    def _regions(self) -> npt.NDArray[np.int64]:
        return np.asarray(self._role_of, dtype=np.int64)[self._judged.measured.blocks.node]
