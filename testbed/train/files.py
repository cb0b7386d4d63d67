"""Weights as files: the same weights are the same bytes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from testbed.compare.held_out import INDEX
from testbed.train.fit import Data
from testbed.train.held_out import Fold


def text_of(data: Data) -> str:
    """JSON with one line a tree, so that a change can be read."""
    lines = []
    for key, value in data.items():
        if key.endswith("_trees"):
            trees = ",\n".join(_compact(tree) for tree in value)
            lines.append(f"{_compact(key)}:[\n{trees}\n]")
        else:
            lines.append(f"{_compact(key)}:{_compact(value)}")
    return "{" + ",\n".join(lines) + "}\n"


def write_folds(folds: Sequence[Fold], folder: Path) -> None:
    """One file a fold, and the index."""
    folder.mkdir(parents=True, exist_ok=True)
    index = {}
    for number, fold in enumerate(folds):
        name = f"fold-{number}.json"
        (folder / name).write_text(text_of(fold.data), "utf-8")
        index[name] = list(fold.sites)
    (folder / INDEX).write_text(json.dumps(index, indent=1, sort_keys=True) + "\n", "utf-8")


def _compact(value: object) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=True)
