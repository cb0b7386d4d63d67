"""Grows boosted trees with LightGBM, and writes them down as the runtime reads them."""

from __future__ import annotations

from typing import Any

import lightgbm
import numpy as np
import numpy.typing as npt

from extractor.regions.learned.arrays import Floats

#: One thread and fixed seeds: the same samples give the same trees, byte for byte.
_SAME: dict[str, Any] = {
    "num_threads": 1, "deterministic": True, "force_row_wise": True, "seed": 7, "verbosity": -1,
}  # fmt: skip
BLOCKS: dict[str, Any] = {
    "objective": "cross_entropy", "learning_rate": 0.08, "num_leaves": 31, "max_depth": 8,
    "min_data_in_leaf": 60, "lambda_l2": 1.0, "feature_fraction": 0.5, "bagging_fraction": 0.7,
    "bagging_freq": 1, "max_bin": 127,
}  # fmt: skip
PAGES: dict[str, Any] = {
    "objective": "multiclass", "learning_rate": 0.1, "num_leaves": 6, "min_data_in_leaf": 15,
    "lambda_l2": 5.0, "feature_fraction": 0.5, "bagging_fraction": 0.8, "bagging_freq": 1,
}  # fmt: skip
CHOICES: dict[str, Any] = {
    "objective": "regression", "learning_rate": 0.05, "num_leaves": 15, "min_data_in_leaf": 100,
    "lambda_l2": 5.0, "feature_fraction": 0.4, "bagging_fraction": 0.6, "bagging_freq": 1,
}  # fmt: skip

Tree = dict[str, list[float]]


def grown(
    settings: dict[str, Any],
    rounds: int,
    rows: Floats,
    wanted: npt.NDArray[np.generic],
    weight: npt.NDArray[np.float64] | None = None,
) -> list[Tree]:
    """Trees in the order of rounds (and of classes within one). ``rows`` has one column a feature."""
    data = lightgbm.Dataset(rows, wanted, weight=weight)
    booster = lightgbm.train({**_SAME, **settings}, data, rounds)
    return [_tree(each["tree_structure"]) for each in booster.dump_model()["tree_info"]]


def _tree(structure: dict[str, Any]) -> Tree:
    """One tree as columns: feature, threshold, left child (the right one follows it; 0: a leaf), value."""
    found: Tree = {"feature": [], "over": [], "child": [], "value": []}
    waiting = [structure]
    # Breadth first, so that both children of a node stand side by side.
    at = 0
    while at < len(waiting):
        node = waiting[at]
        at += 1
        inner = "split_feature" in node
        found["feature"].append(node["split_feature"] if inner else 0)
        found["over"].append(_below(node["threshold"]) if inner else 0)
        found["child"].append(len(waiting) if inner else 0)
        value = node["internal_value"] if inner else node["leaf_value"]
        found["value"].append(float(f"{value:.4g}"))
        if inner:
            waiting += [node["left_child"], node["right_child"]]
    return found


def _below(threshold: float) -> float:
    """The largest number of single precision that is not over the threshold: it divides the same."""
    found = np.float32(threshold)
    if float(found) > threshold:
        found = np.nextafter(found, np.float32(-np.inf))
    return float(str(found))
