"""Reversible folds: what something is and holds, in a few lines with a ref, before any summary."""

from compactor.folds.files import FOLD_FROM_BYTES, fold_file, offloaded
from compactor.folds.noise import quieted
from compactor.folds.reasoning import fold_reasoning
from compactor.folds.result import Fold, fold_result
from compactor.folds.turns import fold_turns

__all__ = [
    "FOLD_FROM_BYTES",
    "Fold",
    "fold_file",
    "fold_reasoning",
    "fold_result",
    "fold_turns",
    "offloaded",
    "quieted",
]
